// A program that knows Sinew only through find_package(sinew).
#include <sinew/version.h>

#include <iostream>

int main() { std::cout << "built against sinew " << sinew::kVersion << '\n'; }
