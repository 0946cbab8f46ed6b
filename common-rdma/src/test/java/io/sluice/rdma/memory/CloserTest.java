package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.Closeable;
import java.io.IOException;
import java.sql.SQLException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CloserTest {
  private final List<String> closed = new ArrayList<>();

  @Test
  void everyoneIsClosedAndTheFirstFailureCounts() {
    IOException first = new IOException("expected by this test");
    OutOfMemoryError second = new OutOfMemoryError("expected by this test");

    IOException thrown =
        assertThrows(
            IOException.class,
            () -> Closer.all(thing("a"), failing("b", first), null, failing("c", second)));

    assertSame(first, thrown);
    assertArrayEquals(new Throwable[] {second}, thrown.getSuppressed());
    assertEquals(List.of("a", "b", "c"), closed);
  }

  /** Where there is no memory, what holds it must go first. */
  @Test
  void itNeedsNoMemoryToBeginWith() throws IOException {
    List<Closeable> things = List.of(thing("a"), thing("b"));
    Closer.all(
        new AbstractList<Closeable>() {
          @Override
          public Closeable get(int index) {
            return things.get(index);
          }

          @Override
          public int size() {
            return things.size();
          }

          @Override
          public Stream<Closeable> stream() {
            throw new OutOfMemoryError("expected by this test");
          }
        });
    assertEquals(List.of("a", "b"), closed);
  }

  @Test
  void afterAFailureAllAreClosedAndItStaysTheFailure() {
    IOException failure = new IOException("expected by this test");
    IOException other = new IOException("expected by this test");

    Closer.after(failure, List.of(failing("a", other), failing("b", failure), thing("c")));
    Closer.after(failure, (Closeable) null);

    assertArrayEquals(new Throwable[] {other}, failure.getSuppressed());
    assertEquals(List.of("a", "b", "c"), closed);
  }

  /** Scala's methods throw checked exceptions that they do not declare, such as of an interrupt. */
  @Test
  void anUndeclaredExceptionKeepsNothingOpenAndIsThrown() {
    InterruptedException first = new InterruptedException("expected by this test");
    SQLException second = new SQLException("expected by this test");

    InterruptedException thrown =
        assertThrows(
            InterruptedException.class,
            () -> Closer.all(failing("a", first), failing("b", second), thing("c")));

    assertSame(first, thrown);
    assertArrayEquals(new Throwable[] {second}, thrown.getSuppressed());
    assertEquals(List.of("a", "b", "c"), closed);
  }

  @Test
  void anythingThatIsThrownAfterAFailureKeepsNothingOpen() {
    IOException failure = new IOException("expected by this test");
    InterruptedException interrupt = new InterruptedException("expected by this test");
    OutOfMemoryError memory = new OutOfMemoryError("expected by this test");

    Closer.after(failure, List.of(failing("a", interrupt), failing("b", memory), thing("c")));

    assertArrayEquals(new Throwable[] {interrupt, memory}, failure.getSuppressed());
    assertEquals(List.of("a", "b", "c"), closed);
  }

  private Closeable thing(String name) {
    return () -> closed.add(name);
  }

  private Closeable failing(String name, Throwable failure) {
    return () -> {
      closed.add(name);
      CloserTest.<IOException>throwAsItIs(failure);
    };
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwAsItIs(Throwable failure) throws T {
    throw (T) failure;
  }
}
