"""Functions of pandas and Arrow over groups, pairs of groups, columns and windows, by PySpark."""

import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyspark.sql import SparkSession, Window
from pyspark.sql.functions import col, pandas_udf
from pyspark.sql.types import DoubleType, LongType

ROWS = 40_000
KEYS = 307


@pandas_udf(LongType())
def squared(values: pd.Series) -> pd.Series:
    return values * values


@pandas_udf(DoubleType())
def middle(values: pd.Series) -> float:
    return float(values.median())


@pandas_udf(LongType())
def spread(low: pd.Series, high: pd.Series) -> int:
    return int(high.max() - low.min())


def ranked(group: pd.DataFrame) -> pd.DataFrame:
    group = group.sort_values(["value", "id"])
    return group.assign(rank=range(len(group)), share=group["value"].cumsum())[["key", "id", "rank", "share"]].head(20)


def paired(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    joined = pd.merge_asof(left.sort_values(["at", "id"]), right.sort_values("at"), on="at", by="key")
    joined = joined.groupby(["key", "name"], as_index=False, dropna=False)["value"].sum()
    return joined[["key", "name", "value"]]


def counted(table: pa.Table) -> pa.Table:
    values = table.column("value").to_pylist()
    return pa.table({"key": [table.column("key")[0].as_py()], "rows": [len(values)], "most": [max(values)]})


def main(out):
    spark = (
        SparkSession.builder.appName("pandas functions from PySpark")
        .config("spark.sql.shuffle.partitions", 5)
        .config("spark.sql.execution.arrow.pyspark.enabled", True)
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 500)
        .getOrCreate()
    )
    events = spark.range(0, ROWS, 1, 4).selectExpr(
        "id", f"concat('k', id * 7919 % {KEYS}) as key", "id * 31 % 1009 as value", "id * 13 % 5000 as at"
    )
    names = spark.range(0, 2_000, 1, 3).selectExpr(
        f"concat('k', id * 97 % {KEYS + 20}) as key", "concat('n', id % 11) as name", "id * 17 % 5000 as at"
    )
    found = {
        "ranked": events.groupBy("key").applyInPandas(ranked, "key string, id long, rank long, share long"),
        "paired": events.groupBy("key")
        .cogroup(names.dropDuplicates(["key", "at"]).groupBy("key"))
        .applyInPandas(paired, "key string, name string, value double"),
        "arrow": events.groupBy("key").applyInArrow(counted, "key string, rows long, most long"),
        "aggregated": events.groupBy("key").agg(
            middle("value").alias("middle"), spread("at", "value").alias("spread")
        ),
        "columns": events.select("key", squared("value").alias("square")).groupBy("key").sum("square"),
        "windows": events.where("id % 8 = 0").withColumn(
            "middle", middle("value").over(Window.partitionBy("key"))
        ).select("id", "middle"),
        "mapped": events.repartition(6, col("at")).mapInPandas(
            lambda frames: (frame[frame["value"] % 97 == 5][["id", "at"]] for frame in frames), "id long, at long"
        ),
    }
    Path(out).mkdir(parents=True)
    for name, rows in found.items():
        lines = sorted(" ".join(map(str, row)) + "\n" for row in rows.collect())
        Path(out, name).write_text("".join(lines))
    frame = events.groupBy("key").sum("value").toPandas().sort_values("key")
    Path(out, "frame").write_text(frame.to_csv(index=False))
    spark.stop()


main(sys.argv[1])
