#include "constraint/row_builder.h"

#include <algorithm>

#include "constraint/constraint.h"

namespace sinew {

namespace {

/// Room for `size` entries and some to spare. (std::vector sets new entries, so not for many; it doubles its memory.)
template <class T>
void ensure(Array<T>& array, int size) {
  if (array.size() < size) array.resize(size + size / 32 + 64);
}

}  // namespace

RowColumns RowBuilder::addColumns(std::span<const int> columns) {
  const RowColumns added{columns_, static_cast<int>(columns.size())};
  columns_ += added.count;
  ensure(d_.row_column, columns_);
  std::copy(columns.begin(), columns.end(), d_.row_column.data() + added.begin);
  return added;
}

double* RowBuilder::openBlock(BlockKind kind, int nbasis, const RowColumns& columns) {
  const int size = nbasis * columns.count;
  ensure(d_.row_block, blocks_ + 1);
  ensure(d_.row_value, values_ + size);
  d_.row_block[blocks_++] = {.kind = kind,
                             .row = rows_,
                             .nrow = 0,
                             .nbasis = nbasis,
                             .ncol = columns.count,
                             .column = columns.begin,
                             .value = values_,
                             .cone = -1,
                             .part = -1};
  double* matrix = d_.row_value.data() + values_;
  values_ += size;
  return matrix;
}

double* RowBuilder::addBlock(BlockKind kind, int nbasis, std::span<const int> columns) {
  double* matrix = openBlock(kind, nbasis, addColumns(columns));
  std::fill_n(matrix, static_cast<std::size_t>(nbasis) * columns.size(), 0.0);
  return matrix;
}

double* RowBuilder::addContactBlock(BlockKind kind, int nbasis, const RowColumns& columns,
                                    const std::array<double, 5>& friction) {
  double* matrix = openBlock(kind, nbasis, columns);
  if (kind != BlockKind::Unilateral) {
    ensure(d_.row_cone, cones_ + 1);
    d_.row_cone[cones_] = {0, friction};
    lastBlock().cone = cones_++;
  }
  return matrix;
}

void RowBuilder::growRows(int count) {
  ensure(d_.efc_type, rows_ + count);
  ensure(d_.efc_id, rows_ + count);
  for (Array<double>* column : {&d_.efc_pos, &d_.efc_margin, &d_.efc_frictionloss}) ensure(*column, rows_ + count);
}

void RowBuilder::finish() {
  const bool none = rows_ == 0 && blocks_ == 0 && columns_ == 0;
  if (none && d_.efc_type.empty() && d_.row_block.empty() && d_.row_column.empty()) return;  // as after the last step
  d_.row_block.resize(blocks_);
  d_.row_column.resize(columns_);
  d_.row_value.resize(values_);
  d_.row_cone.resize(cones_);
  d_.efc_type.resize(rows_);
  d_.efc_id.resize(rows_);
  d_.efc_state.resize(rows_);
  for (Array<double>* column : {&d_.efc_pos, &d_.efc_margin, &d_.efc_frictionloss, &d_.efc_vel, &d_.efc_force}) {
    column->resize(rows_);
  }
  // soft rows have an impedance and a reference acceleration, hard ones a velocity they shall reach
  const bool hard = m_.opt.solver == Solver::Impulse;
  const int soft = hard ? 0 : rows_;
  for (Array<double>* column : {&d_.efc_diagA, &d_.efc_D, &d_.efc_R, &d_.efc_aref}) column->resize(soft);
  d_.efc_KBIP.resize(4 * soft);
  for (Array<double>* column : {&d_.efc_target, &d_.work->row_drive, &d_.work->row_impulse}) {
    column->resize(hard ? rows_ : 0);
  }
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
