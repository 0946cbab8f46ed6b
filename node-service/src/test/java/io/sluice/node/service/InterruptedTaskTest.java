package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.writer.OutputWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tasks of one executor that read through one reader, or lease from the service, and are
 * interrupted at some step: they fail alone.
 */
@Timeout(300)
@Tag("slow")
class InterruptedTaskTest extends NodeTestBase {
  private static final int THREADS = 3;
  private static final int ATTEMPTS = 400;
  private static final int LONGEST_STEPS = 24;

  /** Does something in steps, and may be killed at one. */
  private abstract static class Task {
    final Random random;
    private int stepsToLive;
    private int failures;

    Task(Random random) {
      this.random = random;
    }

    abstract void attempt(int number) throws IOException;

    final void step() {
      if (--stepsToLive == 0) {
        Thread.currentThread().interrupt();
      }
    }

    final void run() {
      for (int i = 0; i < ATTEMPTS; i++) {
        boolean doomed = random.nextInt(3) > 0;
        stepsToLive = doomed ? 1 + random.nextInt(LONGEST_STEPS) : Integer.MAX_VALUE;
        try {
          attempt(i);
        } catch (IOException | RuntimeException e) {
          if (!Thread.currentThread().isInterrupted()) {
            throw new AssertionError("not killed, and yet it failed", e);
          }
          failures++;
        }
        Thread.interrupted();
      }
    }
  }

  /** Returns when all have ended, without an assertion that failed. */
  private static void runAll(List<Task> tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<Future<?>> ends = new ArrayList<>();
      tasks.forEach(task -> ends.add(threads.submit(task::run, null)));
      for (Future<?> end : ends) {
        end.get(120, TimeUnit.SECONDS);
      }
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } finally {
      threads.shutdownNow();
      assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
    }
    int failures = tasks.stream().mapToInt(task -> task.failures).sum();
    assertTrue(failures > tasks.size() * ATTEMPTS / 10, "killed " + failures);
  }

  private final class Reading extends Task {
    private final NodeReader reader;
    private final List<TestOutput> outputs;

    Reading(NodeReader reader, List<TestOutput> outputs, Random random) {
      super(random);
      this.reader = reader;
      this.outputs = outputs;
    }

    @Override
    void attempt(int number) throws IOException {
      TestOutput output = outputs.get(random.nextInt(outputs.size()));
      step();
      List<NodeRun> runs =
          reader.locate(address(), PartitionRange.one(0), List.of(output.id())).get(output.id());
      try {
        List<byte[]> expected = output.of(0);
        assertEquals(expected.size(), runs.size());
        for (int i = 0; i < expected.size(); i++) {
          assertArrayEquals(expected.get(i), read(runs.get(i)));
        }
      } finally {
        Closer.all(runs);
      }
    }

    private byte[] read(NodeRun run) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      byte[] buffer = new byte[30_000];
      RunInput input = run.input();
      step();
      for (int n = input.read(buffer, 0, buffer.length);
          n >= 0;
          n = input.read(buffer, 0, buffer.length)) {
        bytes.write(buffer, 0, n);
        step();
      }
      return bytes.toByteArray();
    }
  }

  private void readersFailAlone(boolean inPlace, String test) throws Exception {
    Random seeds = seeded(test);
    start(2);
    List<TestOutput> outputs = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      outputs.add(TestOutput.random(seeds, "attempt_" + i, 2, 600_000));
      commit(outputs.get(i));
    }
    assertTrue(service.store().stats().disk().createdBytes() > 0, "nothing went to the disk tier");
    try (SocketClient shared = task(APP);
        NodeReader reader = inPlace ? localReader(shared) : tcpReader(8)) {
      List<Task> tasks = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        tasks.add(new Reading(reader, outputs, new Random(seeds.nextLong())));
      }
      runAll(tasks);
      assertReads(reader, outputs);
    } // which fails if a window is still out
  }

  /** It opens segments through the connection that all tasks share. */
  private static NodeReader localReader(SocketClient shared) {
    return new NodeReader(
        APP,
        SECRET,
        new Transports(List.of(new TcpProvider()), WINDOW_BYTES, 8L * WINDOW_BYTES),
        new LocalPool(shared.info().poolId(), shared.places(), shared.opener()),
        Timeouts.all(TIMEOUT_MS));
  }

  @Test
  void readersInPlaceFailAlone() throws Exception {
    readersFailAlone(true, "readersInPlaceFailAlone");
  }

  @Test
  void readersOverTcpFailAlone() throws Exception {
    readersFailAlone(false, "readersOverTcpFailAlone");
  }

  private final class Writing extends Task {
    private final String name;

    Writing(String name, Random random) {
      super(random);
      this.name = name;
    }

    @Override
    void attempt(int number) throws IOException {
      step();
      try (SocketClient task = task(APP);
          OutputWriter writer = new OutputWriter(task, new PlainMedium(), 1, 64 << 10)) {
        byte[] bytes = new byte[1 + random.nextInt(50_000)];
        for (int i = 0; i < 4; i++) {
          step();
          writer.beginRun(0);
          writer.write(bytes, 0, bytes.length);
          step();
          writer.endRun(bytes.length, 1);
        }
        step();
        if (random.nextBoolean()) {
          writer.commit(new OutputId(APP, name + number));
        }
      }
    }
  }

  /** Nothing that a killed task had leased stays leased: its connection ends. */
  @Test
  void writersThroughTheServiceFailAlone() throws Exception {
    Random seeds = seeded("writersThroughTheServiceFailAlone");
    start(4);
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      tasks.add(new Writing("attempt_" + i + "_", new Random(seeds.nextLong())));
    }
    runAll(tasks);
    Await.until(
        "everything leased came back",
        () ->
            service.store().stats().memory().leasedBytes() == 0
                && service.store().stats().disk().leasedBytes() == 0);
    service.store().freeOutputs(APP, "");
    assertEquals(0, service.store().stats().memory().usedBytes());
    Await.until(
        "the disk room came back", () -> service.store().stats().disk().createdBytes() == 0);
  }
}
