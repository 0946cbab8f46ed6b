package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.spark.sql.SparkSession;

/**
 * Runs queries of the TPC-H benchmark over {@link TpchTables} in one context, all of whose joins
 * are shuffled, and prints a {@link ShufflePlanReport}. The directory has the files {@code q1.sql},
 * {@code q2.sql} and so on.
 */
public final class TpchJob {
  private TpchJob() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 5) {
      throw new IllegalArgumentException(
          "expected DIRECTORY SCALE PARTITIONS SEED QUERY ..., got " + List.of(arguments));
    }
    Map<String, String> queries =
        queries(Path.of(arguments[0]), List.of(arguments).subList(4, arguments.length));
    int partitions = Integer.parseInt(arguments[2]);
    TpchTables tables =
        new TpchTables(Double.parseDouble(arguments[1]), partitions, Long.parseLong(arguments[3]));
    ContextReport report =
        ContextRun.of("TPC-H", Map.of(), run -> run(run, tables, partitions, queries));
    System.out.println(
        new ObjectMapper().writeValueAsString(new ShufflePlanReport(List.of(report))));
  }

  private static void run(
      ContextRun run, TpchTables tables, int partitions, Map<String, String> queries)
      throws Exception {
    SparkSession session = run.session();
    session.conf().set("spark.sql.shuffle.partitions", Integer.toString(partitions));
    session.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
    session.conf().set("spark.sql.adaptive.autoBroadcastJoinThreshold", "-1");
    tables.register(session);
    for (Map.Entry<String, String> query : queries.entrySet()) {
      run.shuffle(
          query.getKey(),
          new TreeSet<>(),
          () ->
              session
                  .sql(query.getValue())
                  .toJavaRDD()
                  .map(row -> ResultRow.of(0, ResultRow.hash(row.mkString("|")))));
    }
  }

  /** The text of each query, by its file. */
  private static Map<String, String> queries(Path directory, List<String> numbers)
      throws IOException {
    Map<String, String> queries = new LinkedHashMap<>();
    for (String number : numbers) {
      String file = "q" + number + ".sql";
      queries.put(file, Files.readString(directory.resolve(file)));
    }
    return queries;
  }
}
