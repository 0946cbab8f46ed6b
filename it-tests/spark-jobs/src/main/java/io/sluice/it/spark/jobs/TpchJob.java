package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.spark.sql.SparkSession;

/** Runs {@link TpchQueries} in one context and prints a {@link ShufflePlanReport}. */
public final class TpchJob {
  private TpchJob() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 5) {
      throw new IllegalArgumentException(
          "expected DIRECTORY SCALE PARTITIONS SEED QUERY ..., got " + List.of(arguments));
    }
    TpchQueries queries =
        new TpchQueries(
            Path.of(arguments[0]),
            Double.parseDouble(arguments[1]),
            Integer.parseInt(arguments[2]),
            Long.parseLong(arguments[3]),
            Arrays.stream(arguments).skip(4).map(Integer::parseInt).toList());
    ContextReport report = ContextRun.of("TPC-H", Map.of(), queries);
    System.out.println(
        new ObjectMapper().writeValueAsString(new ShufflePlanReport(List.of(report))));
  }

  /** The benchmark's queries over {@link TpchTables}, all of whose joins are shuffled. */
  static final class TpchQueries implements ContextRun.Work {
    private final Path directory;
    private final double scale;
    private final int partitions;
    private final long seed;
    private final List<Integer> numbers;

    /** {@code directory} has the files {@code q1.sql}, {@code q2.sql} and so on. */
    TpchQueries(Path directory, double scale, int partitions, long seed, List<Integer> numbers) {
      this.directory = directory;
      this.scale = scale;
      this.partitions = partitions;
      this.seed = seed;
      this.numbers = List.copyOf(numbers);
    }

    @Override
    public void doIn(ContextRun run) throws Exception {
      SparkSession session = run.session();
      session.conf().set("spark.sql.shuffle.partitions", Integer.toString(partitions));
      session.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
      session.conf().set("spark.sql.adaptive.autoBroadcastJoinThreshold", "-1");
      new TpchTables(scale, partitions, seed).register(session);
      for (Path query : queries()) {
        String sql = Files.readString(query);
        run.shuffle(
            query.getFileName().toString(),
            new TreeSet<>(),
            () ->
                session
                    .sql(sql)
                    .toJavaRDD()
                    .map(row -> ResultRow.of(0, ResultRow.hash(row.mkString("|")))));
      }
    }

    private List<Path> queries() throws IOException {
      List<Path> queries = new ArrayList<>();
      for (int number : numbers) {
        Path query = directory.resolve("q" + number + ".sql");
        if (!Files.exists(query)) {
          throw new IOException(query + " is missing");
        }
        queries.add(query);
      }
      return queries;
    }
  }
}
