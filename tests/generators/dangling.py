"""Looks through generated code for types that nothing declares, where no compiler can."""

import re
from pathlib import Path

DECLARED = re.compile(r"\b(?:class|struct|enum|interface|typealias|typedef|protocol)\s+(\w+)")
MEMBERS = {
    "csharp": (".cs", r"(?m)^ +public (?:virtual |override )?([\w.<>?,\[\] ]+) \w+ \{ get;"),
    "dart": (".dart", r"(?m)^  (?:final |late )*([A-Z][\w<>?, ]*) \w+;"),
    "rust": (".rs", r"(?m)^ +pub [\w#]+: ([\w:<>, ]+?),?$"),
    "swift6": (".swift", r"(?m)^ +public var \w+: ([\w.<>\[\]:?, ]+?)(?: =.*| \{.*)?$"),
}
GIVEN = {
    "csharp": {
        *("DateTime", "DateTimeOffset", "Dictionary", "JsonElement", "List", "Object", "Option"),
        *("System", "IO", "Stream", "String", "TType"),
    },
    "dart": {"DateTime", "List", "Map", "Object", "String"},
    "rust": {"Box", "DateTime", "FixedOffset", "HashMap", "Option", "String", "Value", "Vec"},
    "swift6": {"Bool", "Date", "Double", "Int", "Int64", "String", "URL"},
}


def dangling_types(language: str, folder: Path) -> list[str]:
    """The types of members that neither the client declares nor the language gives."""
    ending, pattern = MEMBERS[language]
    files = {file: file.read_text("utf-8") for file in folder.rglob(f"*{ending}")}
    declared = {name for text in files.values() for name in DECLARED.findall(text)}
    models = [text for file, text in files.items() if file.parent.name.lower().startswith("model")]
    members = [kind for text in models for kind in re.findall(pattern, text)]
    assert len(members) > 250, f"only {len(members)} members found"
    used = {name for kind in members for name in re.findall(r"\b[A-Z]\w*", kind)}
    return sorted(used - declared - GIVEN[language])
