package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.StoreStats.ApplicationUse;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of two outputs with one id, the one that is committed last takes the other's place. */
class ReplaceTest extends PoolTestBase {
  private static final int PARTITIONS = 5;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theLastCommitCountsWhicheverLeaseIsOlder(boolean olderFirst) throws Exception {
    Random random = seeded("theLastCommitCountsWhicheverLeaseIsOlder");
    Outputs.Content firstContent = Outputs.random(random, PARTITIONS, 1_500_000);
    Outputs.Content lastContent = Outputs.random(random, PARTITIONS, 300_000);
    try (SpillStore store = open(configWithDisk(1).build())) {
      long lastBytes;
      try (Lease older = store.openLease(APP);
          Lease newer = store.openLease(APP);
          OutputWriter first = writer(replacing(olderFirst ? older : newer), PARTITIONS);
          OutputWriter last = writer(replacing(olderFirst ? newer : older), PARTITIONS)) {
        Outputs.write(first, firstContent, random);
        Outputs.write(last, lastContent, random);
        first.commit(id(1));
        Outputs.check(store, id(1), firstContent);
        last.commit(id(1));
        Outputs.check(store, id(1), lastContent);
        lastBytes =
            store.find(id(1)).orElseThrow().extents().stream().mapToLong(Extent::lengthBytes).sum();
      }
      StoreStats stats = store.stats();
      assertEquals(1, stats.outputs());
      assertEquals(lastBytes, stats.memory().usedBytes() + stats.disk().usedBytes());
      assertEquals(
          List.of(
              new ApplicationUse(
                  APP, stats.memory().committedBytes(), stats.disk().committedBytes())),
          store.applicationUses());
    }
    try (SpillStore recovered = open(configWithDisk(1).recover(Set.of()).build())) {
      Outputs.check(recovered, id(1), lastContent);
      recovered.freeApplication(APP);
      assertEquals(List.of(), recovered.applicationUses());
      assertAllFree(recovered);
    }
  }

  @Test
  void whatIsNotValidReplacesNothing() throws Exception {
    Random random = seeded("whatIsNotValidReplacesNothing");
    try (SpillStore store = open(configWithDisk(1).build());
        Lease lease = store.openLease(APP);
        Lease thief = store.openLease(APP)) {
      Outputs.Content content = commit(lease, id(1), random, 10_000);
      Replacing stolen = new Replacing(lease, thief);
      assertThrows(CorruptOutputException.class, () -> commit(stolen, id(1), random, 10_000));
      Outputs.check(store, id(1), content);
    }
  }

  static ExtentSource replacing(Lease lease) {
    return new Replacing(lease, lease);
  }

  /** Gives the extents of one lease, and replaces with another. */
  private record Replacing(Lease source, Lease committer) implements ForwardedSource {
    @Override
    public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
      committer.replace(stamp, trailer);
    }
  }
}
