"""The examples of both READMEs do what their comments say."""

import re

import pytest
from conftest import REPOSITORY


@pytest.mark.parametrize("readme", ["README.md", "python/README.md"])
def test_the_examples_print_what_they_say(readme, tmp_path, monkeypatch, capsys):
    text = (REPOSITORY / readme).read_text(encoding="utf-8")
    [example] = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, readme, "exec"), {})
    expected = re.findall(r"^print.*\)\s+# (.*)$", example, re.M)
    assert expected and capsys.readouterr().out.splitlines() == expected
