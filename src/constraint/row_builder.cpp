#include "constraint/row_builder.h"

#include <algorithm>

#include "constraint/constraint.h"

namespace sinew {

double* RowBuilder::addBlock(BlockKind kind, int nbasis, std::span<const int> columns, int cone) {
  RowBlock block;
  block.kind = kind;
  block.row = d_.nefc();
  block.nrow = 0;
  block.nbasis = nbasis;
  block.ncol = static_cast<int>(columns.size());
  block.column = static_cast<int>(d_.row_column.size());
  block.value = static_cast<int>(d_.row_value.size());
  block.cone = cone;
  d_.row_block.push_back(block);
  d_.row_column.resize(block.column + block.ncol);
  std::copy(columns.begin(), columns.end(), d_.row_column.data() + block.column);
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(nbasis) * block.ncol;
  d_.row_value.resize(block.value + count);
  double* matrix = d_.row_value.data() + block.value;
  std::fill_n(matrix, count, 0.0);
  return matrix;
}

void RowBuilder::addRows(int count, RowType type, int id, double pos, double margin, double frictionloss) {
  d_.row_block.back().nrow += count;
  const auto append = [count](auto& column, auto value) {
    const std::ptrdiff_t begin = column.size();
    column.resize(begin + count);
    std::fill_n(column.data() + begin, count, value);
  };
  append(d_.efc_type, type);
  append(d_.efc_id, id);
  append(d_.efc_pos, pos);
  append(d_.efc_margin, margin);
  append(d_.efc_frictionloss, frictionloss);
}

void buildRows(const Model& m, Data& d) {
  d.clearRows();
  for (Contact& contact : d.contact) contact.efc_address = -1;
  if (m.opt.disabled(disable::kConstraint)) return;

  RowBuilder rows(m, d);
  if (!m.opt.disabled(disable::kEquality)) addEqualityRows(rows);
  d.ne = d.nefc();
  if (!m.opt.disabled(disable::kFrictionLoss)) addFrictionRows(rows);
  d.nf = d.nefc() - d.ne;
  if (!m.opt.disabled(disable::kLimit)) addLimitRows(rows);
  d.nl = d.nefc() - d.ne - d.nf;
  if (!m.opt.disabled(disable::kContact)) addContactRows(rows);
  for (Array<double>* column : {&d.efc_diagA, &d.efc_D, &d.efc_R, &d.efc_vel, &d.efc_aref, &d.efc_force}) {
    column->resize(d.nefc());
  }
  d.efc_KBIP.resize(4 * d.nefc());
  d.efc_state.resize(d.nefc());
  if (m.opt.solver == Solver::Impulse) {  // hard: no impedance
    for (Array<double>* column : {&d.efc_diagA, &d.efc_D, &d.efc_R, &d.efc_KBIP}) {
      std::fill(column->begin(), column->end(), 0.0);
    }
  } else {
    setImpedance(m, d);
  }
}

}  // namespace sinew
