package io.sluice.memory.fs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.PathHandle;

/**
 * Names a file by its id, and says what must not have become of it.
 *
 * @param version which content it must have, or {@link #ANY_VERSION}
 * @param path what it must be called, or an empty text
 */
record FileHandle(long id, long version, String path) implements PathHandle {
  static final long ANY_VERSION = -1;

  private static final long serialVersionUID = 1L;

  /** Reads what {@link #bytes} wrote. */
  static FileHandle read(PathHandle handle) throws InvalidPathHandleException {
    ByteBuffer buffer = handle.bytes().duplicate();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      return new FileHandle(in.readLong(), in.readLong(), in.readUTF());
    } catch (IOException e) {
      throw new InvalidPathHandleException("not a handle of this file system", e);
    }
  }

  @Override
  public ByteBuffer bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(id);
      out.writeLong(version);
      out.writeUTF(path);
    } catch (IOException e) {
      throw new UncheckedIOException("the path of a handle is too long: " + path, e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PathHandle handle && bytes().equals(handle.bytes());
  }

  @Override
  public int hashCode() {
    return bytes().hashCode();
  }
}
