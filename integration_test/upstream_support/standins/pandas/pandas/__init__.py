"""A stand-in for pandas, for the tables that examples print at their end."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import types

options = types.SimpleNamespace(display=types.SimpleNamespace(max_columns=None, width=80))


class DataFrame:
    """Rows with the names of their columns."""

    def __init__(self, data, columns):
        self.rows = [list(row) for row in data]
        self.columns = list(columns)

    def pivot(self, index, columns, values):
        """A row for each value of `index`, a column for each of `values` and each value of `columns`."""
        at = {name: place for place, name in enumerate(self.columns)}
        names = list(dict.fromkeys(row[at[columns]] for row in self.rows))
        groups = {}
        for row in self.rows:
            groups.setdefault(tuple(row[at[name]] for name in index), {})[row[at[columns]]] = row
        heads = [*index, *(f"{value} {name}" for value in values for name in names)]
        rows = []
        for key, group in groups.items():
            cells = [group[name][at[value]] if name in group else "" for value in values for name in names]
            rows.append([*key, *cells])
        return DataFrame(rows, heads)

    def reset_index(self):
        """The index is among the columns already."""
        return self

    def sort_values(self, by, ascending):
        """Rows in the order of columns, the first of `by` outermost."""
        rows = list(self.rows)
        for name, is_ascending in reversed(list(zip(by, ascending))):
            rows.sort(key=lambda row, at=self.columns.index(name): row[at], reverse=not is_ascending)
        return DataFrame(rows, self.columns)

    def __str__(self):
        return "\n".join("  ".join(str(cell) for cell in row) for row in [self.columns, *self.rows])
