package io.sluice.node.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.TestPool;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A task that is writing when its node's service goes away. */
class ServiceRestartTest extends LocalServerTestBase {
  private static final OutputId ID = new OutputId(APP, "attempt_0");
  private static final byte[] BEFORE = new byte[100_000];
  private static final byte[] AFTER = new byte[3 << 20];

  @Test
  void aTaskCommitsToTheServiceThatKeptThePool() throws IOException {
    try (LocalClient client = connect(APP);
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 16)) {
      writeRun(writer, BEFORE);
      restart(true);
      writeRun(writer, AFTER);
      writer.commit(ID);
    }
    CommittedOutput output = store.find(ID).orElseThrow();
    assertEquals(2, output.runs(0).size());
    assertEquals(BEFORE.length + AFTER.length, runBytes(output));
  }

  @Test
  void whatLayInAnEmptiedPoolIsLost() throws IOException {
    try (LocalClient client = connect(APP);
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 16)) {
      writeRun(writer, BEFORE);
      restart(false);
      IOException e = assertThrows(IOException.class, () -> writer.commit(ID));
      assertTrue(e.getMessage().contains("restarted with an empty pool"), e.getMessage());
      assertThrows(IOException.class, writer::close);
    }
    assertTrue(store.find(ID).isEmpty());
  }

  @Test
  void aLeaseThatTheSameStoreTookBackCannotBeCommitted() throws IOException {
    try (LocalClient client = connect(APP);
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 16)) {
      writeRun(writer, BEFORE);
      server.close();
      awaitNothingLeased();
      server = LocalServer.start(store, this::register, socket(), ConnectionLimits.DEFAULT);
      assertThrows(IOException.class, () -> writer.commit(ID));
      assertThrows(IOException.class, writer::close);
    }
    assertTrue(store.find(ID).isEmpty());
  }

  private static void writeRun(OutputWriter writer, byte[] bytes) throws IOException {
    writer.beginRun(0);
    writer.write(bytes, 0, bytes.length);
    writer.endRun(bytes.length, 1);
  }

  private static long runBytes(CommittedOutput output) throws IOException {
    return output.runs(0).stream().mapToLong(run -> run.lengthBytes()).sum();
  }

  private void restart(boolean recover) throws IOException {
    store.quiesce();
    server.close();
    store.close();
    var config = TestPool.memory(directory, SEGMENTS);
    store = SpillStore.open((recover ? config.recover(Set.of(APP)) : config).build());
    server = LocalServer.start(store, this::register, socket(), ConnectionLimits.DEFAULT);
  }
}
