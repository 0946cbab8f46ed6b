package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

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
}
