package io.sluice.bench.node;

import io.sluice.node.socket.ServiceFile;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.MemorySource.MemoryUse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Tasks that wait for memory of a service which has none left, and one that asks for some all the
 * time and is refused. It is a process of its own, so that it is of the service's release,
 * whichever that is; it uses what all releases have.
 *
 * <p>Thread contract: the waiting tasks have a thread each, which ends with the process.
 */
final class WaitingProgram {
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));
  private static final long TIMEOUT_MS = 60_000;
  private static final long MOST_BYTES = 1 << 20;
  private static final long BLOCK_BYTES = 64 << 10;

  /** The service lets a task wait for ten seconds: all of this comes within that time. */
  private static final long SETTLED_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long LONGEST_SETTLING_NS = TimeUnit.SECONDS.toNanos(3);
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(6);
  private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Path socket;
  private final AtomicInteger answers = new AtomicInteger();

  /**
   * The costs of the service while tasks waited.
   *
   * @param cores of the service's process, on average
   * @param eventMs until another task had its refusal, on average
   * @param worstMs the same at most
   * @param answers how many of those that waited were answered meanwhile
   */
  record Took(double cores, double eventMs, double worstMs, int answers) {
    private static final String MARK = "took";

    /** As one process tells it another. */
    String toLine() {
      return MARK + " " + cores + " " + eventMs + " " + worstMs + " " + answers;
    }

    /** The last such line of a text. */
    static Took find(String text) {
      String line = text.substring(text.lastIndexOf(MARK)).lines().findFirst().orElseThrow();
      String[] words = line.split(" ");
      return new Took(
          Double.parseDouble(words[1]),
          Double.parseDouble(words[2]),
          Double.parseDouble(words[3]),
          Integer.parseInt(words[4]));
    }

    /** Processor seconds in ten seconds. */
    double cpuOfTenSeconds() {
      return 10 * cores;
    }
  }

  private WaitingProgram(Path socket) {
    this.socket = socket;
  }

  /** Takes the service's directory, its process and how many tasks wait; prints {@link Took}. */
  public static void main(String[] args) throws IOException {
    Path socket = ServiceFile.read(Path.of(args[0])).socket();
    ProcessHandle service = ProcessHandle.of(Long.parseLong(args[1])).orElseThrow();
    Took took = new WaitingProgram(socket).measure(service, Integer.parseInt(args[2]));
    System.out.println(took.toLine());
  }

  private SocketClient connect(int application) throws IOException {
    return SocketClient.connect(socket, "application_1_000" + application, SECRET, TIMEOUT_MS);
  }

  private Took measure(ProcessHandle service, int tasks) throws IOException {
    try (SocketClient reduce = connect(1);
        SocketClient other = connect(2)) {
      takeAll(reduce);
      List<SocketClient> waiting = new ArrayList<>();
      for (int i = 0; i < tasks; i++) {
        waiting.add(connect(3));
      }
      for (SocketClient task : waiting) {
        Thread thread = new Thread(() -> askOnAndOn(task), "waiting-task");
        thread.setDaemon(true);
        thread.start();
      }
      settle();
      return watch(service, other);
    }
  }

  /** A reduce may give back the memory that it holds, so tasks wait for it. */
  private static void takeAll(SocketClient reduce) throws IOException {
    for (long bytes = MOST_BYTES; bytes >= BLOCK_BYTES; bytes /= 2) {
      Optional<Extent> taken = reduce.leaseMemory(MemoryUse.RECEIVE, bytes);
      while (taken.isPresent()) {
        taken = reduce.leaseMemory(MemoryUse.RECEIVE, bytes);
      }
    }
  }

  private void askOnAndOn(SocketClient task) {
    try {
      while (true) {
        task.lease(BLOCK_BYTES);
        answers.incrementAndGet();
      }
    } catch (IOException e) {
      answers.incrementAndGet(); // it has waited in vain
    }
  }

  /** Some find what is kept back for them; then all wait. */
  private void settle() {
    long startNs = System.nanoTime();
    long changedNs = startNs;
    int seen = answers.get();
    while (System.nanoTime() - changedNs < SETTLED_NS
        && System.nanoTime() - startNs < LONGEST_SETTLING_NS) {
      LockSupport.parkNanos(PAUSE_NS);
      if (answers.get() != seen) {
        seen = answers.get();
        changedNs = System.nanoTime();
      }
    }
  }

  private Took watch(ProcessHandle service, SocketClient other) throws IOException {
    int answersBefore = answers.get();
    Duration cpuBefore = cpu(service);
    long startNs = System.nanoTime();
    long worstNs = 0;
    long sumNs = 0;
    int events = 0;
    long nowNs = startNs;
    while (nowNs - startNs < WINDOW_NS) {
      long askedNs = System.nanoTime();
      Optional<Extent> granted = other.leaseMemory(MemoryUse.RECEIVE, BLOCK_BYTES);
      nowNs = System.nanoTime();
      if (granted.isPresent()) {
        other.release(List.of(granted.get()));
      }
      events++;
      sumNs += nowNs - askedNs;
      worstNs = Math.max(worstNs, nowNs - askedNs);
      LockSupport.parkNanos(PAUSE_NS);
    }
    double cpuMs = cpu(service).minus(cpuBefore).toNanos() / 1e6;
    return new Took(
        cpuMs / ((nowNs - startNs) / 1e6),
        sumNs / 1e6 / events,
        worstNs / 1e6,
        answers.get() - answersBefore);
  }

  private static Duration cpu(ProcessHandle process) {
    return process.info().totalCpuDuration().orElseThrow();
  }
}
