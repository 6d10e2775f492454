#include "constraint/row_builder.h"

#include <algorithm>

#include "constraint/constraint.h"

namespace sinew {

namespace {

/// Room for `size` entries, with some to spare: what a step needs next time is already there.
template <class T>
void ensure(Array<T>& array, int size) {
  if (array.size() < size) array.resize(size + size / 2);
}

}  // namespace

double* RowBuilder::openBlock(BlockKind kind, int nbasis, std::span<const int> columns) {
  const int ncol = static_cast<int>(columns.size());
  ensure(d_.row_block, blocks_ + 1);
  ensure(d_.row_column, columns_ + ncol);
  ensure(d_.row_value, values_ + nbasis * ncol);
  d_.row_block[blocks_++] = {.kind = kind,
                             .row = rows_,
                             .nrow = 0,
                             .nbasis = nbasis,
                             .ncol = ncol,
                             .column = columns_,
                             .value = values_,
                             .cone = -1,
                             .part = -1};
  std::copy(columns.begin(), columns.end(), d_.row_column.data() + columns_);
  double* matrix = d_.row_value.data() + values_;
  columns_ += ncol;
  values_ += nbasis * ncol;
  return matrix;
}

double* RowBuilder::addBlock(BlockKind kind, int nbasis, std::span<const int> columns) {
  double* matrix = openBlock(kind, nbasis, columns);
  std::fill_n(matrix, static_cast<std::size_t>(nbasis) * columns.size(), 0.0);
  return matrix;
}

double* RowBuilder::addContactBlock(BlockKind kind, int nbasis, std::span<const int> columns,
                                    const std::array<double, 5>& friction) {
  double* matrix = openBlock(kind, nbasis, columns);
  if (kind != BlockKind::Unilateral) {
    ensure(d_.row_cone, cones_ + 1);
    d_.row_cone[cones_] = {0, friction};
    lastBlock().cone = cones_++;
  }
  return matrix;
}

void RowBuilder::addRows(int count, RowType type, int id, double pos, double margin, double frictionloss) {
  lastBlock().nrow += count;
  const auto set = [&](auto& column, auto value) {
    ensure(column, rows_ + count);
    std::fill_n(column.data() + rows_, count, value);
  };
  set(d_.efc_type, type);
  set(d_.efc_id, id);
  set(d_.efc_pos, pos);
  set(d_.efc_margin, margin);
  set(d_.efc_frictionloss, frictionloss);
  rows_ += count;
}

void RowBuilder::finish() {
  d_.row_block.resize(blocks_);
  d_.row_column.resize(columns_);
  d_.row_value.resize(values_);
  d_.row_cone.resize(cones_);
  d_.efc_type.resize(rows_);
  d_.efc_id.resize(rows_);
  d_.efc_state.resize(rows_);
  for (Array<double>* column :
       {&d_.efc_pos, &d_.efc_margin, &d_.efc_frictionloss, &d_.efc_vel, &d_.efc_aref, &d_.efc_force}) {
    column->resize(rows_);
  }
  const int soft = m_.opt.solver == Solver::Impulse ? 0 : rows_;  // hard rows have no impedance
  for (Array<double>* column : {&d_.efc_diagA, &d_.efc_D, &d_.efc_R}) column->resize(soft);
  d_.efc_KBIP.resize(4 * soft);
}

void buildRows(const Model& m, Data& d) {
  for (Contact& contact : d.contact) contact.efc_address = -1;
  if (m.opt.disabled(disable::kConstraint)) return d.clearRows();

  d.island.clear();
  RowBuilder rows(m, d);
  if (!m.opt.disabled(disable::kEquality)) addEqualityRows(rows);
  d.ne = rows.rows();
  if (!m.opt.disabled(disable::kFrictionLoss)) addFrictionRows(rows);
  d.nf = rows.rows() - d.ne;
  if (!m.opt.disabled(disable::kLimit)) addLimitRows(rows);
  d.nl = rows.rows() - d.ne - d.nf;
  if (!m.opt.disabled(disable::kContact)) addContactRows(rows);
  rows.finish();
  if (m.opt.solver != Solver::Impulse) setImpedance(m, d);
}

}  // namespace sinew
