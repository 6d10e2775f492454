# For Doxygen: drops the comment of a header above its namespace, which scripts/docs.py shows on the header's own page.
# (As a comment of the namespace it would appear on every page.)
/^\/\/\// { held = held $0 "\n"; next }
/^namespace / { held = "" }
{ printf "%s", held; held = ""; print }
END { printf "%s", held }
