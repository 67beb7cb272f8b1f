"""A stand-in for einops.rearrange and einops.repeat, for patterns of names, groups, ones and '...'."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re


def _parse(side):
    """The groups of one side, each a list of names."""
    tokens = re.findall(r"\([^)]*\)|[\w.]+", side)
    return [token[1:-1].split() if token.startswith("(") else [] if token == "1" else [token] for token in tokens]


def _measure(tensor, groups, sizes):
    """The sizes of all names: one of a group may be left to find."""
    rest = tensor.dim() - (len(groups) - 1)
    shape, place = [], 0
    for names in groups:
        if names == ["..."]:
            dims = list(tensor.shape[place : place + rest])
            sizes.update({f"...{n}": size for n, size in enumerate(dims)})
            names[:] = [f"...{n}" for n in range(len(dims))]
            shape += dims
            place += rest
            continue
        known = 1
        for name in names:
            known *= sizes.get(name, 1)
        for name in names:
            sizes.setdefault(name, tensor.shape[place] // known)
        shape += [sizes[name] for name in names]
        place += 1
    return shape


def repeat(tensor, pattern, **sizes):
    """Rearranges, with new names on the right that repeat."""
    source, target = (_parse(side) for side in pattern.split("->"))
    sizes = dict(sizes)
    tensor = tensor.reshape(_measure(tensor, source, sizes))
    names = [name for group in source for name in group]
    dots = [name for name in names if name.startswith("...")]
    target = [dots if group == ["..."] else group for group in target]
    order = [name for group in target for name in group]
    new = [name for name in order if name not in names]
    for name in new:
        tensor = tensor.unsqueeze(-1).expand(*tensor.shape, sizes[name])
    names += new
    tensor = tensor.permute([names.index(name) for name in order])
    shape = []
    expanded = []
    for group in target:
        if group is dots:
            expanded += [[name] for name in dots]
        else:
            expanded.append(group)
    for group in expanded:
        size = 1
        for name in group:
            size *= sizes[name]
        shape.append(size)
    return tensor.reshape(shape)


def rearrange(tensor, pattern, **sizes):
    """Splits, joins and orders dimensions."""
    return repeat(tensor, pattern, **sizes)
