"""MLlib's recommender and its vectors of words from PySpark, over generated ratings and sentences."""

import random
import sys
from pathlib import Path

from pyspark.ml.evaluation import RegressionEvaluator
from pyspark.ml.feature import Word2Vec
from pyspark.ml.recommendation import ALS
from pyspark.sql import SparkSession


def recommend(spark, lines):
    draw = random.Random(3)
    ratings = []
    for _ in range(20_000):
        user, item = draw.randrange(400), draw.randrange(150)
        ratings.append((user, item, float((user * 31 + item * 17) % 5 + 1)))
    rated = (
        spark.createDataFrame(ratings, "user int, item int, rating float")
        .groupBy("user", "item")
        .max("rating")
        .withColumnRenamed("max(rating)", "rating")
        .repartition(4, "user")
        .sortWithinPartitions("user", "item")
    )
    als = ALS(maxIter=4, rank=6, seed=5, numItemBlocks=4, numUserBlocks=4)
    model = als.setUserCol("user").setItemCol("item").setRatingCol("rating").fit(rated)
    evaluator = RegressionEvaluator(labelCol="rating", predictionCol="prediction")
    lines.append(f"ratings {rated.count()}")
    lines.append(f"error {evaluator.evaluate(model.transform(rated)):.2f}")
    lines.append(f"users {model.userFactors.count()}")
    lines.append(f"items {model.recommendForAllUsers(5).count()}")


def embed(spark, lines):
    draw = random.Random(4)
    sentences = []
    for _ in range(3_000):
        topic = draw.randrange(5)
        sentences.append([f"t{topic}w{draw.randrange(20)}" for _ in range(12)])
    # Python's own shuffle: pickled pairs, not rows.
    by_topic = spark.sparkContext.parallelize(sentences, 4).map(lambda words: (words[0][:2], len(words)))
    for topic, words in sorted(by_topic.reduceByKey(lambda left, right: left + right, 3).collect()):
        lines.append(f"words of {topic} {words}")
    rows = spark.createDataFrame([(words,) for words in sentences], "words array<string>").repartition(3)
    word2vec = Word2Vec(inputCol="words", outputCol="vector", vectorSize=10, minCount=1, numPartitions=3, seed=7)
    model = word2vec.fit(rows)
    lines.append(f"words {model.getVectors().count()}")
    for topic in range(5):
        near = [word for word, _ in model.findSynonymsArray(f"t{topic}w0", 10) if word.startswith(f"t{topic}")]
        lines.append(f"near t{topic} {len(near) >= 5}")


def main(out):
    spark = SparkSession.builder.appName("MLlib from PySpark").getOrCreate()
    lines = []
    recommend(spark, lines)
    embed(spark, lines)
    Path(out).mkdir(parents=True)
    Path(out, "models").write_text("".join(line + "\n" for line in lines))
    spark.stop()


main(sys.argv[1])
