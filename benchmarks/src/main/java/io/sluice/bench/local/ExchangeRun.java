package io.sluice.bench.local;

import io.sluice.bench.Comparison;
import io.sluice.bench.Ratio;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.local.LocalJobClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs one shape in all modes, in turn and in one process, whose program compares what the reduces
 * have seen.
 *
 * <p>Not thread-safe; the place is its caller's.
 */
final class ExchangeRun {
  static final List<Ratio<ExchangeMode>> RATIOS =
      Stream.of(ExchangeMode.PUSH, ExchangeMode.HYBRID, ExchangeMode.AUTO)
          .map(mode -> new Ratio<>(mode, ExchangeMode.PULL))
          .toList();
  private static final Pattern CHOSEN = Pattern.compile("reduces, ([A-Z]+) exchange");

  private final LocalPlace place;
  private final LocalJobClient client;

  /**
   * @param log4j what the client says, the engine's choice too
   */
  ExchangeRun(LocalPlace place, Path log4j) {
    this.place = place;
    this.client =
        place.client("client", List.of("-Xmx2g", "-Dlog4j.configuration=" + log4j.toUri()));
  }

  ExchangeCell run(ExchangeShape shape, ExchangeKeys keys, long records, int rounds) {
    Path times = place.path("times");
    client.run(
        place.workloads(),
        List.of(
            "shuffle",
            "-Dmapreduce.framework.name=sluice",
            "-Dsluice.local.isolation=none", // or nothing is pushed
            "-Dworkloads.shuffle.setting=sluice.local.exchange",
            "-Dworkloads.shuffle.values="
                + Stream.of(ExchangeMode.values())
                    .map(ExchangeMode::title)
                    .collect(Collectors.joining(",")),
            "-Dworkloads.records.zipf=" + keys.exponent(),
            place.temporary(),
            Long.toString(records),
            Integer.toString(shape.maps()),
            Integer.toString(shape.reduces()),
            Integer.toString(rounds),
            times.toString()));
    return new ExchangeCell(shape, keys, chosen(), rounds(JobTime.read(times)));
  }

  /** All but the first round, which warms up. */
  static Comparison<ExchangeMode, JobTime> rounds(List<JobTime> jobs) {
    int modes = ExchangeMode.values().length;
    Comparison<ExchangeMode, JobTime> comparison = new Comparison<>(RATIOS);
    for (int first = modes; first < jobs.size(); first += modes) {
      Map<ExchangeMode, JobTime> round = new EnumMap<>(ExchangeMode.class);
      for (ExchangeMode mode : ExchangeMode.values()) {
        JobTime job = jobs.get(first + mode.ordinal());
        if (!job.job().endsWith(" " + mode.title())) {
          throw new ClusterException(job + " where " + mode + " is expected");
        }
        round.put(mode, job);
      }
      comparison.add(round);
    }
    return comparison;
  }

  /** The last job's mode: auto is the last of each round. */
  private ExchangeMode chosen() {
    try {
      Matcher said = CHOSEN.matcher(Files.readString(client.log()));
      String last = null;
      while (said.find()) {
        last = said.group(1);
      }
      if (last == null) {
        throw new ClusterException("the engine has not said which exchange it takes");
      }
      return ExchangeMode.valueOf(last);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
