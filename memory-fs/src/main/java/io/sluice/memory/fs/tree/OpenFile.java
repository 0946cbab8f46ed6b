package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import io.sluice.memory.fs.tree.Node.FileNode;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file that is open for reading or writing. Its bytes stay until it is closed, even if it is
 * deleted.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller closes it; a second close does
 * nothing.
 */
public final class OpenFile implements Closeable {
  private final FileNode file;
  private final Closeable end;
  private final AtomicBoolean closed = new AtomicBoolean();

  OpenFile(FileNode file, Closeable end) {
    this.file = file;
    this.end = end;
  }

  /** The bytes. */
  public FileContent content() {
    return file.content();
  }

  /** Whether the file still has a path. Without one it ends when the last opener closes it. */
  public boolean isNamed() {
    return file.isNamed();
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      end.close();
    }
  }
}
