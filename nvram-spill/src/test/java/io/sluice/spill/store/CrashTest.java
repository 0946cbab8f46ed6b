package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.medium.CrashingMedium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A task, or the service, dies between any two steps of a commit. */
class CrashTest extends PoolTestBase {
  private static final int MAX_STEPS = 100;

  @ParameterizedTest
  @CsvSource({"FILES,true", "FILES,false", "FILE_AS_DEVICE,true", "FILE_AS_DEVICE,false"})
  void aTaskThatDiesAtAnyStepLeavesNothingBehind(TestPlace where, boolean storedDirectly)
      throws Exception {
    place = where;
    assumePlace();
    Random random = seeded("aTaskThatDiesAtAnyStepLeavesNothingBehind");
    int step = 0;
    while (!diesAt(step, storedDirectly, random)) {
      step++;
      assertTrue(step < MAX_STEPS, "the writer never got through");
    }
    assertTrue(step >= 3, "data, index and footer are three steps at least, met " + step);
  }

  /** Returns whether the writer got through before step {@code step}. */
  private boolean diesAt(int step, boolean storedDirectly, Random random) throws IOException {
    SpillStore first = open(config(3).build());
    Outputs.Content safe = commit(first.openLease(APP), id(1), random, 200_000);
    Outputs.Content doubtful = Outputs.random(random, 5, 600_000);
    CrashingMedium medium = new CrashingMedium(new PlainMedium(), storedDirectly, step, random);
    OutputWriter writer = new OutputWriter(first.openLease(APP), medium, 5, 128 << 10);
    boolean died = false;
    try {
      Outputs.write(writer, doubtful, random);
      writer.commit(id(2));
    } catch (CrashingMedium.Crash e) {
      died = true;
    }
    first.close();
    try {
      writer.close();
    } catch (IOException e) {
      assertTrue(died, "only a writer that has something to release needs the store");
    }
    try (SpillStore second = open(config(3).recover(Set.of()).build())) {
      Outputs.check(second, id(1), safe);
      if (died) {
        assertTrue(second.find(id(2)).isEmpty(), "visible though it died at step " + step);
      } else {
        Outputs.check(second, id(2), doubtful);
      }
      second.freeApplication(APP);
      assertAllFree(second);
    }
    return !died;
  }

  @Test
  void aFooterThatTheStoreNeverHeardOfIsNoOutput() throws Exception {
    Random random = seeded("aFooterThatTheStoreNeverHeardOfIsNoOutput");
    SpillStore first = open(config(2).build());
    Lease lease = first.openLease(APP);
    assertThrows(IOException.class, () -> commit(new DeafSource(lease), id(1), random, 100_000));
    first.close();
    try (SpillStore second = open(config(2).recover(Set.of()).build())) {
      assertTrue(second.find(id(1)).isEmpty());
      assertAllFree(second);
    }
  }

  @Test
  void aStoreThatCannotSetTheMarkHasNoOutput() throws Exception {
    Random random = seeded("aStoreThatCannotSetTheMarkHasNoOutput");
    CrashingMedium medium = new CrashingMedium(new PlainMedium(), true, 0, random);
    SpillStore first = open(config(2).medium(medium).build());
    try (Lease lease = first.openLease(APP)) {
      assertThrows(CrashingMedium.Crash.class, () -> commit(lease, id(1), random, 100_000));
      assertTrue(first.find(id(1)).isEmpty());
      assertEquals(0, first.stats().memory().usedBytes());
    }
    first.close();
    try (SpillStore second = open(config(2).recover(Set.of()).build())) {
      assertTrue(second.find(id(1)).isEmpty());
    }
  }

  /** A connection that breaks when the commit is to be sent, and stays broken. */
  private record DeafSource(Lease source) implements ForwardedSource {
    @Override
    public void release(List<Extent> extents) {
      // lost
    }

    @Override
    public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
      throw new IOException("connection lost");
    }
  }
}
