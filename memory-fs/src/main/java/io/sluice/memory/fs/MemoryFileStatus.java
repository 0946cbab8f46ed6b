package io.sluice.memory.fs;

import io.sluice.memory.fs.tree.Entry;
import io.sluice.memory.fs.tree.TreePath;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;

/**
 * The status of a file or directory. A file's status has an etag: the file's id, which renames do
 * not change, and the version of its content.
 *
 * <p>Thread contract: as {@link FileStatus}. Serialization drops the etag.
 */
final class MemoryFileStatus extends FileStatus implements EtagSource {
  private static final long serialVersionUID = 1L;

  private final String etag;

  MemoryFileStatus(Entry entry, Path path) {
    super(
        entry.lengthBytes(),
        entry.isDirectory(),
        entry.replication(),
        entry.blockBytes(),
        entry.modifiedMs(),
        entry.accessedMs(),
        entry.permission(),
        entry.owner(),
        entry.group(),
        path);
    this.etag = entry.isDirectory() ? null : entry.id() + "-" + entry.version();
  }

  @Override
  public String getEtag() {
    return etag;
  }

  /**
   * A {@link MemoryFileStatus} with the locations of its blocks.
   *
   * <p>Thread contract: as {@link LocatedFileStatus}.
   */
  static final class MemoryLocatedFileStatus extends LocatedFileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    MemoryLocatedFileStatus(MemoryFileStatus status, BlockLocation[] locations) {
      super(status, locations);
      this.etag = status.getEtag();
    }

    @Override
    public String getEtag() {
      return etag;
    }
  }

  /**
   * Names a file by the id in its etag, and says which changes since then are refused.
   *
   * @param version the version that the content must have, or {@link #ANY_VERSION}
   * @param path the path that the file must have, or an empty text for any
   */
  record FileHandle(long id, long version, String path) implements PathHandle {
    static final long ANY_VERSION = -1;

    private static final long serialVersionUID = 1L;

    /**
     * A handle for the file of a status.
     *
     * @param path the file's path now
     * @param options which later changes the handle allows
     */
    static FileHandle of(FileStatus status, TreePath path, HandleOpt... options) {
      if (!(status instanceof EtagSource file) || file.getEtag() == null) {
        throw new IllegalArgumentException(
            "no handle for "
                + status.getPath()
                + ": expected the status of a file, as this file system returned it");
      }
      HandleOpt.Data data =
          HandleOpt.getOpt(HandleOpt.Data.class, options).orElse(HandleOpt.changed(false));
      HandleOpt.Location location =
          HandleOpt.getOpt(HandleOpt.Location.class, options).orElse(HandleOpt.moved(false));
      String[] idAndVersion = file.getEtag().split("-");
      return new FileHandle(
          Long.parseLong(idAndVersion[0]),
          data.allowChange() ? ANY_VERSION : Long.parseLong(idAndVersion[1]),
          location.allowChange() ? "" : path.toString());
    }

    /** Refuses the file if it was changed or moved and the handle does not allow that. */
    void check(Entry.Located found) throws InvalidPathHandleException {
      if (version != ANY_VERSION && version != found.entry().version()) {
        throw new InvalidPathHandleException("the file was changed: " + this);
      }
      if (!path.isEmpty() && !path.equals(found.path().toString())) {
        throw new InvalidPathHandleException("the file was moved to " + found.path() + ": " + this);
      }
    }

    /** Reads what {@link #bytes} wrote. */
    static FileHandle read(PathHandle handle) throws InvalidPathHandleException {
      ByteBuffer buffer = handle.bytes().duplicate();
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
        return new FileHandle(in.readLong(), in.readLong(), in.readUTF());
      } catch (IOException e) {
        throw new InvalidPathHandleException("the bytes are no handle of this file system", e);
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
        throw new UncheckedIOException("the path is too long for a handle: " + path, e);
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
}
