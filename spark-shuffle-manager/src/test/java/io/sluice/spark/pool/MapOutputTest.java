package io.sluice.spark.pool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.format.OutputId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MapOutputTest {
  @Test
  void aLeaseOnWhichNoWriterCanBeMadeIsGivenBack() {
    List<String> closed = new ArrayList<>();
    OutOfMemoryError noWriter = new OutOfMemoryError("expected by this test");
    FreedShuffles freed = new FreedShuffles();
    PoolGuard pool = (attempt, id, lengthBytes) -> {};
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
