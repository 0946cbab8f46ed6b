package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spark.pool.OutputTarget.Attempt;
import io.sluice.spark.pool.OutputTarget.FreedShuffles;
import io.sluice.spill.format.OutputId;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;

class MapOutputTest {
  /** Makes no outputs, and hears of no commit. */
  private static final class NoTarget implements OutputTarget {
    @Override
    public Attempt begin(int shuffleId) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MapOutput newOutput(Attempt attempt, long mapId, int partitionCount) {
      throw new UnsupportedOperationException();
    }

    @Override
    public BlockManagerId location(BlockManagerId executor) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void committed(Attempt attempt, OutputId id, long lengthBytes) {}
  }

  @Test
  void aLeaseOnWhichNoWriterCanBeMadeIsGivenBack() {
    List<String> closed = new ArrayList<>();
    OutOfMemoryError noWriter = new OutOfMemoryError("expected by this test");
    FreedShuffles freed = new FreedShuffles();
    OutputTarget pool = new NoTarget();
    OutOfMemoryError thrown =
        assertThrows(
            OutOfMemoryError.class,
            () ->
                new MapOutput(
                    pool,
                    freed.begin(1),
                    () -> closed.add("lease"),
                    () -> {
                      throw noWriter;
                    },
                    new OutputId("app-1", "shuffle_1_2"),
                    8,
                    null));
    assertSame(noWriter, thrown);
    assertEquals(List.of("lease"), closed);
  }
}
