package io.sluice.memory.fs.space;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.memory.fs.space.FileExtents.FileExtent;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FileExtentsTest {
  private static final int GIB = 1 << 30;

  /** Says where in it each byte lies, so that it needs no memory. */
  private record Ruler(int number, int lengthBytes) implements FileExtent {
    @Override
    public ByteBuffer memory() {
      return null;
    }

    @Override
    public void read(int offsetBytes, ByteBuffer destination) {
      for (int offset = offsetBytes; destination.hasRemaining(); offset++) {
        destination.put(value(number, offset));
      }
    }

    static byte value(int number, int offset) {
      return (byte) (31 * number + offset % 251);
    }

    @Override
    public void write(int offsetBytes, ByteBuffer source) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileExtent first(int keptBytes) {
      return this;
    }

    @Override
    public void releaseBehind(FileExtent first) {}

    @Override
    public void release() {}
  }

  @Test
  void positionsBeyondTwoGibibytesAreFoundInTheirExtents() throws IOException {
    FileExtents extents = FileExtents.NONE;
    for (int number = 0; number < 10; number++) {
      extents = extents.plus(new Ruler(number, GIB), (long) number * GIB);
    }
    assertEquals(10L * GIB, extents.roomBytes());
    Random random = TestSeed.random();
    for (int i = 0; i < 200; i++) {
      long position = i == 0 ? 7L * GIB - 50 : (long) (random.nextDouble() * (10L * GIB - 100));
      ByteBuffer bytes = ByteBuffer.allocate(100);
      extents.read(position, bytes);
      assertEquals(0, bytes.remaining());
      for (int offset = 0; offset < 100; offset++) {
        long at = position + offset;
        assertEquals(Ruler.value((int) (at / GIB), (int) (at % GIB)), bytes.get(offset));
      }
    }
  }

  @Test
  void anExtentThatIsNotFilledEndsWhereTheNextBegins() throws IOException {
    FileExtents extents = FileExtents.NONE.plus(new Ruler(1, 1000), 0).plus(new Ruler(2, 1000), 10);
    ByteBuffer bytes = ByteBuffer.allocate(20);
    extents.read(5, bytes);
    assertEquals(Ruler.value(1, 9), bytes.get(4));
    assertEquals(Ruler.value(2, 0), bytes.get(5));
    assertEquals(Ruler.value(2, 14), bytes.get(19));
  }

  @Test
  void whatIsReadBehindTheLastExtentEndsThere() throws IOException {
    FileExtents extents = FileExtents.NONE.plus(new Ruler(1, 10), 0);
    ByteBuffer bytes = ByteBuffer.allocate(20);
    extents.read(4, bytes);
    assertEquals(6, bytes.position());
    extents.read(10, bytes);
    assertEquals(6, bytes.position());
  }
}
