package io.sluice.node.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sluice.node.probe.ProbeRegion.ProbePattern;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ProbePatternTest {
  private final ByteBuffer memory = ByteBuffer.allocate(ProbePattern.LENGTH_BYTES);

  @Test
  void whatWasFilledMatchesAtEveryOffset() {
    ProbePattern.fill(memory);
    assertEquals(-1, ProbePattern.mismatch(memory, 0));
    assertEquals(-1, ProbePattern.mismatch(memory.slice(4096, 8192), 4096));
  }

  @Test
  void aChangedByteIsFound() {
    ProbePattern.fill(memory);
    memory.put(777_777, (byte) ~memory.get(777_777));
    assertEquals(777_776, ProbePattern.mismatch(memory, 0));
    assertEquals(777_776, ProbePattern.mismatch(memory.slice(524_288, 524_288), 524_288));
  }

  @Test
  void bytesOfAnotherOffsetAndMemoryNeverWrittenAreFound() {
    assertEquals(0, ProbePattern.mismatch(memory, 0));
    ProbePattern.fill(memory);
    assertEquals(0, ProbePattern.mismatch(memory.slice(8, 64), 0));
    assertNotEquals(-1, ProbePattern.mismatch(memory.slice(4096, 4096), 8192));
  }
}
