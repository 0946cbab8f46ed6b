package io.sluice.it.spark;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkSubmit.SparkResult;
import io.sluice.it.spark.jobs.HeldJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A {@link HeldJob} that stays until it is released.
 *
 * <p>Not thread-safe. Whoever starts it closes it, which releases it.
 */
final class HeldRun implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofMinutes(10);
  private static final String RELEASE = "release";

  private final Path meeting;
  private final CompletableFuture<SparkResult> running;

  private HeldRun(Path meeting, CompletableFuture<SparkResult> running) {
    this.meeting = meeting;
    this.running = running;
  }

  /** The job; who runs it in no such way lets it go at once with {@link #release}. */
  static SparkJob job(Workspace workspace, long rows, Path meeting) {
    return QuickJvms.of(
        new SparkJob(
            "HeldJob",
            workspace.sparkJobsJar(),
            HeldJob.class.getName(),
            List.of(),
            Map.of(),
            List.of(Long.toString(rows), "6", "7", meeting.toString()),
            DEADLINE));
  }

  /** Starts it; {@code meeting} is the directory that it was told. */
  static HeldRun start(SparkSubmit submit, String master, SparkJob job, Path meeting) {
    return new HeldRun(meeting, CompletableFuture.supplyAsync(() -> submit.run(master, job)));
  }

  /** What the job says, or the failure with which it ended before. */
  HeldJob.Ready ready() {
    Path said = meeting.resolve("ready.json");
    Poll.untilTrue("the job to be ready", DEADLINE, () -> running.isDone() || Files.exists(said));
    if (running.isDone()) {
      running.join();
    }
    try {
      return new ObjectMapper().readValue(said.toFile(), HeldJob.Ready.class);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + said, e);
    }
  }

  /** Lets such a job end. */
  static void release(Path meeting) throws IOException {
    Files.createFile(meeting.resolve(RELEASE));
  }

  /** Lets it end, and waits for that. */
  SparkResult end() throws IOException {
    if (Files.notExists(meeting.resolve(RELEASE))) {
      release(meeting);
    }
    return running.join();
  }

  @Override
  public void close() throws IOException {
    end();
  }
}
