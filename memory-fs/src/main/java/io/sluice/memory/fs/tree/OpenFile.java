package io.sluice.memory.fs.tree;

import io.sluice.memory.fs.space.FileContent;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file that somebody reads or writes; its bytes stay until it is closed, whatever becomes of its
 * name.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever opens it closes it, once or more.
 */
public final class OpenFile implements Closeable {
  private final FileNode file;
  private final Closeable end;
  private final AtomicBoolean closed = new AtomicBoolean();

  OpenFile(FileNode file, Closeable end) {
    this.file = file;
    this.end = end;
  }

  /** Its bytes. */
  public FileContent content() {
    return file.content();
  }

  /** Whether it can be found by a name: if not, it is gone when nobody has it open. */
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
