package io.sluice.spark.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A block in a file of the task's, where Spark wants the large ones ({@code
 * spark.network.maxRemoteBlockSizeFetchToMem}): it may be longer than any buffer. The file goes
 * with the task.
 */
final class FileTarget implements BlockTarget {
  private static final Logger LOG = LoggerFactory.getLogger(FileTarget.class);
  private static final TransportConf CONF = new TransportConf("shuffle", MapConfigProvider.EMPTY);

  private final DownloadFileManager files;
  private final DownloadFile file;
  private final DownloadFileWritableChannel channel;

  private FileTarget(DownloadFileManager files) throws IOException {
    this.files = files;
    this.file = files.createTempFile(CONF);
    try {
      this.channel = file.openForWriting();
    } catch (Throwable e) {
      file.delete();
      throw e;
    }
  }

  /** Opens files of that manager. */
  static Opener in(DownloadFileManager files) {
    return (block, lengthBytes) -> new FileTarget(files);
  }

  @Override
  public void write(byte[] bytes, int lengthBytes) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes, 0, lengthBytes);
    while (left.hasRemaining()) {
      channel.write(left);
    }
  }

  /** A task that has ended meanwhile takes no file any more. */
  @Override
  public ManagedBuffer done() throws IOException {
    ManagedBuffer content = channel.closeAndRead();
    if (!files.registerTempFileToClean(file)) {
      file.delete();
    }
    return content;
  }

  @Override
  public void abandon() {
    try {
      channel.close();
    } catch (IOException | RuntimeException e) { // the fetch fails for another reason
      LOG.warn("{} could not be closed", file.path(), e);
    }
    file.delete();
  }
}
