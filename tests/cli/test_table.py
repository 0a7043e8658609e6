"""Data files: common variants are read, and mistakes are explained."""

import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rbhmc.cli.console import UserError
from rbhmc.cli.table import Roles, Table, read_new_items, read_table
from rbhmc.columns import learn_encoding

PLAIN = "name,a,b\nx,1,2\ny,3,4.5\n"
VALUES = [[1.0, 2.0], [3.0, 4.5]]


def read(folder: Path, content: str | bytes, name: str = "t.csv", **roles: object) -> Table:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(file, Roles(**roles))  # type: ignore[arg-type]


def values(table: Table) -> list[list[float]]:
    """Return the numbers of all features, NaN for gaps."""
    encoding, raws, _ = learn_encoding(table.frame)
    return encoding.encode(raws).tolist()  # type: ignore[no-any-return]


def error_of(folder: Path, content: str | bytes, name: str = "t.csv", **roles: object) -> str:
    with pytest.raises(UserError) as caught:
        read(folder, content, name, **roles)
    return "\n".join([str(caught.value), *caught.value.hints])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(PLAIN, id="plain"),
        pytest.param("\ufeff" + PLAIN, id="BOM"),
        pytest.param(PLAIN.encode("utf-16"), id="UTF-16"),
        pytest.param(PLAIN.replace("\n", "\r\n"), id="Windows"),
        pytest.param(PLAIN.replace("\n", "\r"), id="old Mac"),
        pytest.param(PLAIN.replace(",", ";"), id="semicolons"),
        pytest.param(PLAIN.replace(",", "\t"), id="tabs"),
        pytest.param(PLAIN.replace(",", "|"), id="bars"),
        pytest.param("name;a;b\nx;1;2\ny;3;4,5\n", id="decimal comma"),
        pytest.param('name;a;b\nx;1;2\ny;"3";"4,5"\n', id="decimal comma in quotes"),
        pytest.param('"name","a","b"\n"x",1,2\n"y",3,4.5', id="quotes"),
        pytest.param("name, a, b\n x, 1, 2\ny , 3, 4.5 \n", id="spaces"),
        pytest.param("\n\nname,a,b\n\nx,1,2\n   \ny,3,4.5\n,,\n\n", id="empty lines"),
        pytest.param("name,a,b,\nx,1,2,\ny,3,4.5,\n", id="separators at the end"),
        pytest.param("name,a,b\nx,1,2,\ny,3,4.5,\n", id="separators at the end of rows"),
        pytest.param("a,b\nx,1,2\ny,3,4.5\n", id="row names of R"),
        pytest.param(",a,b\nx,1,2\ny,3,4.5\n", id="index of pandas"),
        pytest.param("a,name,b\n1,x,2\n3,y,4.5\n", id="names in the middle"),
    ],
)
def test_variants_of_one_table(tmp_path: Path, content: str | bytes) -> None:
    table = read(tmp_path, content)
    assert table.frame.index.tolist() == ["x", "y"]
    assert table.frame.columns.tolist() == ["a", "b"]
    assert values(table) == VALUES
    assert any("items are named by" in note for note in table.notes)


def test_names_keep_every_character(tmp_path: Path) -> None:
    content = 'code,a,kind\n001,1,NA\n"N, ""A""",2,None\nNA,3,\n'
    table = read(tmp_path, content, id="code", classes="kind")
    assert table.frame.index.tolist() == ["001", 'N, "A"', "NA"]
    assert table.classes == ["NA", "None", ""]
    assert table.notes == ("1 item without a class in 'kind' left out of the measures",)
    again = read(tmp_path, "code,a\nNA,1\nx,2\ny,3\n")
    assert again.frame.index.tolist() == ["NA", "x", "y"]


def test_formats_of_numbers(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b,c\n1e3,True,-0\n+2.5,False,.5\n")
    assert table.frame.to_numpy().tolist() == [[1000.0, 1.0, 0.0], [2.5, 0.0, 0.5]]
    assert table.frame.index.tolist() == ["1", "2"]
    assert table.roles.id is None


def test_a_file_without_a_header(tmp_path: Path) -> None:
    table = read(tmp_path, "1.5,2\n3,4\n5,6\n")
    assert table.frame.columns.tolist() == ["x1", "x2"]
    assert table.frame.shape == (3, 2)
    assert "first row of t.csv holds numbers" in table.notes[0]
    # Numbers that count the columns are names.
    assert read(tmp_path, "0,1,2\n5,5,5\n").frame.columns.tolist() == ["0", "1", "2"]


def test_an_unnamed_index_is_not_a_feature(tmp_path: Path) -> None:
    table = read(tmp_path, ",a\n0,5\n1,6\n")
    assert table.frame.index.tolist() == ["0", "1"]
    assert table.frame.columns.tolist() == ["a"]
    assert "items are named by 'column 1' (all different)" in table.notes[0]


def test_a_numeric_id_names_the_items(tmp_path: Path) -> None:
    table = read(tmp_path, "id,a\n007,5\n8,6\n")
    assert table.frame.columns.tolist() == ["a"]
    assert table.frame.index.tolist() == ["007", "8"]
    assert "items are named by 'id'" in table.notes[0]


@pytest.mark.parametrize("content", ["a\n1\n2\n", "a\n1,0\n2,0\n", "\ufeffa\r\n1\r\n2"])
def test_one_column(tmp_path: Path, content: str) -> None:
    table = read(tmp_path, content)
    assert values(table) == [[1.0], [2.0]]
    assert "one column" in table.notes[0]


def test_a_guessed_encoding_gets_a_note(tmp_path: Path) -> None:
    table = read(tmp_path, "größe,name\n1,Käfer\n2,€\n".encode("cp1252"))
    assert table.frame.index.tolist() == ["Käfer", "€"]
    assert table.frame.columns.tolist() == ["größe"]
    assert "not UTF-8" in table.notes[0]
    # A byte that Windows has no character for.
    assert read(tmp_path, b"a,name\n1,\x81x\n2,y\n").frame.index.tolist() == ["\x81x", "y"]


def test_tsv_parquet_and_npy(tmp_path: Path) -> None:
    assert read(tmp_path, PLAIN.replace(",", "\t"), "t.tsv").frame.to_numpy().tolist() == VALUES
    frame = pd.DataFrame({"a": [1, 3], "b": [2.0, 4.5]}, index=["x", "y"])
    for given in (frame, frame.rename_axis("name").reset_index()):
        given.to_parquet(tmp_path / "t.parquet")
        table = read_table(tmp_path / "t.parquet", Roles())
        assert table.frame.index.tolist() == ["x", "y"]
        assert table.frame.to_numpy().tolist() == VALUES
    np.save(tmp_path / "t.npy", np.array(VALUES, np.float32))
    table = read_table(tmp_path / "t.npy", Roles())
    assert table.frame.to_numpy().tolist() == VALUES
    assert table.frame.columns.tolist() == ["x1", "x2"]


def test_parquet_and_feather_with_gaps_and_dates(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "day": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-02-01"]),
        }
    )
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / "t.feather")
    for ending in ("parquet", "feather"):
        table = read_table(tmp_path / f"t.{ending}", Roles())
        np.testing.assert_array_equal(values(table), [[1.0, 0.0], [np.nan, 2.0], [3.0, 31.0]])


def test_excel_with_a_title(tmp_path: Path) -> None:
    frame = pd.DataFrame({"name": ["x", "y"], "a": [1, 3], "b": [2.0, 4.5]})
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        frame.to_excel(writer, sheet_name="data", index=False, startrow=2)
        writer.sheets["data"].cell(1, 1, "Sales of the year")
        pd.DataFrame({"q": [1]}).to_excel(writer, sheet_name="more")
    table = read_table(tmp_path / "t.xlsx", Roles())
    assert values(table) == VALUES
    assert table.frame.index.tolist() == ["x", "y"]
    assert "2 sheets; the largest, 'data', was read" in table.notes[0]
    assert "2 lines above the table" in table.notes[1]


def test_a_damaged_name_in_an_excel_file_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as parts:
        parts.writestr("ü", "")  # a name in UTF-8, which is damaged below
    damaged = (tmp_path / "t.xlsx").read_bytes().replace("ü".encode(), b"\x9b\x9b")
    (tmp_path / "t.xlsx").write_bytes(damaged)
    with pytest.raises(UserError, match=r"t\.xlsx is not an Excel file"):
        read_table(tmp_path / "t.xlsx", Roles())


def test_the_largest_sheet_is_read(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "t.xlsx") as writer:
        pd.DataFrame({"note": ["read me"]}).to_excel(writer, sheet_name="about", index=False)
        frame = pd.DataFrame({"name": ["x", "y"], "a": [1, 3], "b": [2.0, 4.5]})
        frame.to_excel(writer, sheet_name="data", index=False)
    assert values(read_table(tmp_path / "t.xlsx", Roles())) == VALUES


def test_remarks_above_columns_separated_by_spaces(tmp_path: Path) -> None:
    table = read(tmp_path, "# made up\n# in cm\nname  a  b\nx  1  2\ny  3  4.5\n")
    assert values(table) == VALUES
    assert "2 lines above the table in t.csv skipped" in table.notes


def test_titles_above_the_table(tmp_path: Path) -> None:
    table = read(tmp_path, 'Report of 2024\n"made by us"\n\n' + PLAIN)
    assert values(table) == VALUES
    assert "3 lines above the table in t.csv skipped" in table.notes


def test_columns_of_the_same_name(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b,a\n1,2,3\n4,4,9\n")
    assert table.frame.columns.tolist() == ["a", "b", "a (2)"]
    assert "same name, now called a (2)" in table.notes[0]


def test_gaps_and_odd_values(tmp_path: Path) -> None:
    table = read(tmp_path, "name,a,b\nx,1,?\ny,,2\nz,-,5\nw,7,NA\n")
    np.testing.assert_array_equal(
        values(table), [[1, np.nan], [np.nan, 2], [np.nan, 5], [7, np.nan]]
    )
    assert [column.n_gaps for column in table.columns] == [0, 2, 2]


def test_the_summary_lists_every_column(tmp_path: Path) -> None:
    content = "id,price,species,day,shop,empty\n" + "".join(
        f'{n + 7},"${n},000",{"ab"[n % 2]},2024-01-{n + 10},one,\n' for n in range(8)
    )
    table = read(tmp_path, content, dropped=("shop",))
    lines = [line.split() for line in table.describe().splitlines()]
    assert [line[:3] for line in lines] == [
        ["column", "role", "kind"],
        ["id", "name", "number"],
        ["price", "feature", "number"],
        ["species", "feature", "category"],
        ["day", "feature", "date"],
        ["empty", "left", "out"],
        ["shop", "left", "out"],
    ]
    assert "in $, thousands with commas" in table.describe()
    assert "known classes?" in table.describe()
    [note] = [note for note in table.notes if "species" in note]
    assert "used as a feature" in note
    assert f"rbhmc fit {tmp_path}/t.csv --class-column species --drop shop" in note


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "t.csv is empty"),
        (b"\xef\xbb\xbf", "t.csv is empty"),
        (b"\n\n  \n", "t.csv is empty"),
        (b"a,b\n", "t.csv has no rows, only the columns a, b"),
        (b"a,b\n\n,\n", "t.csv has no rows"),
        (b"PK\x03\x04\x00\x00\n1,2", "t.csv is not a text table: it holds zero bytes"),
        (b"a,b\n1,2\n1,2,3\n", "Expected 2 fields in line 3, saw 3"),
        (b'a,b\n1,"2\n3,4\n', "EOF inside string"),
        (b"name\nx\ny\n", "t.csv has no features"),
        (b"a\n1\ninf\n", "'a' in t.csv has the value inf in row 2"),
    ],
)
def test_unreadable_tables(tmp_path: Path, content: bytes, words: str) -> None:
    assert words in error_of(tmp_path, content)


def test_all_problems_are_in_one_message_with_a_command(tmp_path: Path) -> None:
    message = error_of(tmp_path, "name,my a,b\nx,1,inf\ny,inf,2\nz,3,4\n", dropped=("name",))
    assert "'my a' in t.csv has the value inf in row 2; 'b' in t.csv has the value inf" in message
    assert f"rbhmc fit {tmp_path}/t.csv --drop name --drop 'my a' --drop b" in message
    message = error_of(tmp_path, "name,a\nx,1\nx,2\n", id="name", classes="q", dropped=("A",))
    assert "no column 'A'; did you mean 'a'?; t.csv has no column 'q'; 'name' in" in message
    assert f"rbhmc fit {tmp_path}/t.csv --drop a --drop name" in message


def test_the_message_about_a_missing_column_lists_the_columns(tmp_path: Path) -> None:
    message = error_of(tmp_path, PLAIN, id="Nme")
    assert "no column 'Nme'; did you mean 'name'?" in message
    assert "It has name, a, b." in message
    assert "did you mean" not in error_of(tmp_path, PLAIN, dropped=("qqq",))
    assert "has two roles" in error_of(tmp_path, PLAIN, id="name", dropped=("name",))


def test_duplicate_item_names(tmp_path: Path) -> None:
    content = "name,a\nx,1\ny,2\nx,3\nz,4\n"
    message = error_of(tmp_path, content, id="name")
    assert "contains duplicate item names: 'x' in rows 1, 3" in message
    assert "row 2 of t.csv has no name in 'name'" in error_of(
        tmp_path, "name,a\nx,1\n,2\n", id="name"
    )


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_none_is_a_step_of_a_scale(tmp_path: Path, name: str) -> None:
    frame = pd.DataFrame({"pain": ["none", "mild", "severe"] * 4, "age": [31, None, 45.5] * 4})
    frame["dose"] = frame["age"].map(str).replace("nan", "None")
    write = frame.to_csv if name == "t.csv" else frame.to_excel
    write(tmp_path / name, index=False)
    table = read_table(tmp_path / name, Roles())
    pain, age, dose = table.columns
    assert (pain.kind, pain.values, pain.n_gaps) == ("ordered", ("none", "mild", "severe"), 0)
    assert (age.kind, age.n_gaps) == (dose.kind, dose.n_gaps) == ("number", 4)


def test_other_files_are_refused(tmp_path: Path) -> None:
    assert ".csv, .tsv, .txt, .parquet, .feather, .xlsx, .npy." in error_of(
        tmp_path, PLAIN, "t.doc"
    )
    assert "not an Excel file" in error_of(tmp_path, PLAIN, "t.xlsx")
    assert "has no ending" in error_of(tmp_path, PLAIN, "table")
    assert "this one: pandas.read_csv('t.csv.gz').to_csv(" in error_of(tmp_path, PLAIN, "t.csv.gz")
    assert "this one: pandas.read_excel('t.xls').to_csv(" in error_of(tmp_path, PLAIN, "t.xls")
    assert "not a Parquet file" in error_of(tmp_path, PLAIN, "t.parquet")
    assert "not an array" in error_of(tmp_path, PLAIN, "t.npy")
    np.save(tmp_path / "t.npy", np.zeros(3))
    with pytest.raises(UserError, match=r"holds float64 of shape \(3,\)"):
        read_table(tmp_path / "t.npy", Roles())
    np.save(tmp_path / "t.npy", np.array([["a"]], object), allow_pickle=True)
    with pytest.raises(UserError, match="not an array"):
        read_table(tmp_path / "t.npy", Roles())
    with pytest.raises(UserError, match="there is no file") as caught:
        read_table(tmp_path / "q.csv", Roles())
    assert "t.npy" in caught.value.hints[0]
    with pytest.raises(UserError, match="is a folder"):
        read_table(tmp_path, Roles())


def test_a_hundred_thousand_rows(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(100_000, 5))
    frame = pd.DataFrame(X, columns=list("abcde"), index=[f"i{n}" for n in range(len(X))])
    frame.to_csv(tmp_path / "large.csv", index_label="name")
    start = time.process_time()
    table = read_table(tmp_path / "large.csv", Roles())
    assert time.process_time() - start < 10
    assert np.array_equal(table.frame.to_numpy(), X)
    assert table.frame.index[-1] == "i99999"


def test_new_items_are_matched_by_name(tmp_path: Path) -> None:
    roles, file = Roles("name", "kind", ("note",)), tmp_path / "new.csv"
    file.write_text("extra,b,name,note,a\nhm,2,x,hello,1\nhm,4.5,y,there,3\n")
    table = read_new_items(file, roles, ["a", "b"], ["a", "b", "c"])
    assert table.frame.columns.tolist() == ["a", "b", "c"]
    assert table.frame[["a", "b"]].to_numpy().tolist() == VALUES
    assert table.frame.index.tolist() == ["x", "y"]
    assert table.notes == ("1 column of new.csv unknown to the run and ignored: extra",)
    with pytest.raises(UserError, match=r"lacks 2 columns of the 3 .*: c, d"):
        read_new_items(file, roles, ["a", "c", "d"], [])
    file.write_text("b,a,who\n2,1,p\n4.5,3,q\n")
    table = read_new_items(file, roles, ["a", "b"], ["a", "b", "c"])
    assert table.frame.index.tolist() == ["p", "q"]
    assert table.notes == ()
    file.write_text("b,a\n2,1\n4.5,3\n")
    assert read_new_items(file, roles, ["a", "b"], ["a", "b", "c"]).frame.index.tolist() == [
        "1",
        "2",
    ]
