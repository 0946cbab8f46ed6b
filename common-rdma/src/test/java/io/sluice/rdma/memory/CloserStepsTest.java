package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CloserStepsTest {
  private final Closer closer = new Closer();
  private final List<Integer> done = new ArrayList<>();

  private void failing(int step, Throwable failure) {
    closer.run(
        () -> {
          done.add(step);
          if (failure instanceof Error error) {
            throw error;
          }
          if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
          }
          if (failure instanceof IOException checked) {
            throw checked;
          }
        });
  }

  @Test
  void everyStepIsDoneAndTheFirstFailureTold() {
    IOException first = new IOException("first");
    Error second = new InternalError("second");
    RuntimeException third = new IllegalStateException("third");
    failing(1, first);
    failing(2, second);
    failing(3, third);
    failing(4, null);
    assertEquals(List.of(1, 2, 3, 4), done);
    IOException told = assertThrows(IOException.class, () -> closer.finish("not all"));
    assertSame(first, told.getCause());
    assertArrayEquals(new Throwable[] {second, third}, first.getSuppressed());
  }

  @Test
  void anErrorIsToldAsItself() {
    Error first = new InternalError("first");
    IOException second = new IOException("second");
    failing(1, first);
    failing(2, second);
    failing(3, first);
    assertEquals(List.of(1, 2, 3), done);
    assertSame(first, assertThrows(InternalError.class, () -> closer.finish("not all")));
    assertArrayEquals(new Throwable[] {second}, first.getSuppressed());
  }

  @Test
  void aStepMayRunOthers() {
    IOException first = new IOException("first");
    closer.run(() -> failing(1, first));
    failing(2, new IOException("second"));
    IOException told = assertThrows(IOException.class, () -> closer.finish("not all"));
    assertSame(first, told.getCause());
    assertEquals("not all: " + first, told.getMessage());
  }

  @Test
  void whatWentWellIsNotTold() throws IOException {
    failing(1, null);
    closer.finish("not all");
    assertEquals(List.of(1), done);
  }
}
