package io.sluice.it.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.cluster.ClusterException;
import java.nio.file.Path;
import java.util.List;

/**
 * A job that ended well.
 *
 * @param job what was asked for
 * @param printed standard output of the driver
 * @param log standard error of the driver, where Spark logs to
 * @param place with {@code events}, and with the logs of a local cluster's executors in {@code
 *     home/work}; gone when the {@link SparkSubmit} is closed
 */
public record SparkResult(SparkJob job, String printed, String log, Path place) {

  /** Reads the one line of JSON that the job printed. */
  public <T> T report(Class<T> type) {
    List<T> all = reports(type);
    if (all.size() != 1) {
      throw new ClusterException(
          "%s: expected one line of JSON, got %d in what was printed:%n%s"
              .formatted(job.name(), all.size(), printed));
    }
    return all.get(0);
  }

  /** Reads each line of JSON that the job printed. */
  public <T> List<T> reports(Class<T> type) {
    return printed
        .lines()
        .filter(line -> line.startsWith("{"))
        .map(line -> read(line, type))
        .toList();
  }

  private <T> T read(String line, Class<T> type) {
    try {
      return new ObjectMapper().readValue(line, type);
    } catch (JsonProcessingException e) {
      throw new ClusterException(
          "%s: not a %s: %s".formatted(job.name(), type.getSimpleName(), line), e);
    }
  }
}
