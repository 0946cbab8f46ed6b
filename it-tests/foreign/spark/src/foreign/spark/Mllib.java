package foreign.spark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.ml.evaluation.RegressionEvaluator;
import org.apache.spark.ml.feature.Word2Vec;
import org.apache.spark.ml.feature.Word2VecModel;
import org.apache.spark.ml.recommendation.ALS;
import org.apache.spark.ml.recommendation.ALSModel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** MLlib's recommender and its vectors of words, over generated ratings and sentences. */
public final class Mllib {
  private Mllib() {}

  /** Where to write. */
  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().appName("MLlib").getOrCreate();
    Random random = new Random(3);
    List<Row> ratings = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      int user = random.nextInt(400);
      int item = random.nextInt(150);
      ratings.add(RowFactory.create(user, item, (float) ((user * 31 + item * 17) % 5 + 1)));
    }
    StructType schema =
        new StructType()
            .add("user", DataTypes.IntegerType)
            .add("item", DataTypes.IntegerType)
            .add("rating", DataTypes.FloatType);
    Dataset<Row> rated =
        spark
            .createDataFrame(ratings, schema)
            .groupBy("user", "item")
            .max("rating")
            .withColumnRenamed("max(rating)", "rating")
            .repartition(4, org.apache.spark.sql.functions.col("user"))
            .sortWithinPartitions("user", "item");
    ALS als = new ALS().setMaxIter(4).setRank(6).setSeed(5).setNumBlocks(4);
    ALSModel model = als.setUserCol("user").setItemCol("item").setRatingCol("rating").fit(rated);
    double error =
        new RegressionEvaluator()
            .setLabelCol("rating")
            .setPredictionCol("prediction")
            .evaluate(model.transform(rated));
    List<String> lines = new ArrayList<>();
    lines.add("ratings " + rated.count());
    lines.add("error %.2f".formatted(error));
    lines.add("users " + model.userFactors().count());
    lines.add("items " + model.recommendForAllUsers(5).count());

    List<String> sentences = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      int topic = random.nextInt(5);
      StringBuilder sentence = new StringBuilder();
      for (int word = 0; word < 12; word++) {
        sentence.append("t").append(topic).append("w").append(random.nextInt(20)).append(' ');
      }
      sentences.add(sentence.toString());
    }
    Dataset<String[]> words =
        spark
            .createDataset(sentences, Encoders.STRING())
            .map(
                (org.apache.spark.api.java.function.MapFunction<String, String[]>)
                    sentence -> sentence.split(" "),
                Encoders.javaSerialization(String[].class));
    Dataset<Row> rows =
        spark.createDataFrame(
            words.toJavaRDD().map(sentence -> RowFactory.create((Object) sentence)),
            new StructType().add("words", DataTypes.createArrayType(DataTypes.StringType)));
    Word2VecModel vectors =
        new Word2Vec()
            .setInputCol("words")
            .setOutputCol("vector")
            .setVectorSize(10)
            .setMinCount(1)
            .setNumPartitions(3)
            .setSeed(7)
            .fit(rows);
    lines.add("words " + vectors.getVectors().count());
    for (int topic = 0; topic < 5; topic++) {
      String of = "t" + topic;
      long near =
          Arrays.stream(vectors.findSynonymsArray(of + "w0", 10))
              .filter(synonym -> synonym._1().startsWith(of))
              .count();
      lines.add("near " + of + " " + (near >= 5));
    }
    Files.write(Files.createDirectories(Path.of(arguments[0])).resolve("models"), lines);
    spark.stop();
  }
}
