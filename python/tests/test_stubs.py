"""oju.pyi says what is there, and nothing else: names, parameters and what is said of them."""

import ast
import inspect
from importlib.resources import files

import oju
import pytest

STUB = ast.parse((files("oju") / "__init__.pyi").read_text(encoding="utf-8"))


def names(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id, node


def public(of):
    hidden = {name for name in vars(of) if name.startswith("_")}
    return set(vars(of)) - hidden | hidden & {"__version__", "__len__", "__iter__", "__next__", "__new__"}


def parameters(node):
    """Name, kind and default of each parameter of a stub, as inspect has them; self left out."""
    a = node.args
    ordinary = [(arg.arg, False) for arg in a.posonlyargs + a.args if arg.arg not in ("self", "cls")]
    defaults = [inspect.Parameter.empty] * (len(ordinary) - len(a.defaults)) + [ast.literal_eval(d) for d in a.defaults]
    found = [(*name, default) for name, default in zip(ordinary, defaults)]
    for arg, default in zip(a.kwonlyargs, a.kw_defaults):
        found.append((arg.arg, True, inspect.Parameter.empty if default is None else ast.literal_eval(default)))
    return found


def of_runtime(function):
    return [
        (p.name, p.kind is p.KEYWORD_ONLY, p.default)
        for p in inspect.signature(function).parameters.values()
        if p.name != "self"
    ]


def said(text):
    """What a docstring says, line breaks, quotes and the remarks of types in arrays left out."""
    words = " ".join((text or "").replace('"', "'").split())
    for kind in ("bool: ", "int16: ", "uint16: ", "uint8 of shape (n, pits): "):
        words = words.removeprefix(kind)
    return words.removeprefix("Of shape (n, pits): ").lower()


def test_the_stub_names_what_is_there():
    # The module's own name is that of the extension inside the package.
    assert {name for name, _ in names(STUB.body)} == public(oju) - {"oju"}
    assert files("oju").joinpath("py.typed").is_file()


@pytest.mark.parametrize("name, node", [(name, node) for name, node in names(STUB.body) if not isinstance(node, ast.AnnAssign)])
def test_the_stub_says_what_is_there(name, node):
    there = getattr(oju, name)
    assert said(ast.get_docstring(node)) == said(there.__doc__)
    if isinstance(node, ast.FunctionDef):
        assert parameters(node) == of_runtime(there)
        return
    if issubclass(there, Exception):
        assert node.bases[0].id == there.__base__.__name__
        return
    members = dict(names(node.body))
    assert set(members) == public(there) - ({"__new__"} if name != "Engine" else set())
    for member, of_stub in members.items():
        if member == "__new__":
            assert parameters(of_stub) == of_runtime(there)
        elif not member.startswith("__"):
            of_class = inspect.getattr_static(there, member)
            assert said(ast.get_docstring(of_stub)) == said(of_class.__doc__), member
            if not of_stub.decorator_list:
                assert parameters(of_stub) == of_runtime(of_class), member
