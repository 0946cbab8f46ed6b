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
 * A fetched block in a file of the task. Spark wants large blocks in files ({@code
 * spark.network.maxRemoteBlockSizeFetchToMem}), and they may be longer than any buffer.
 *
 * <p>Thread contract and ownership: as {@link BlockTarget}; Spark deletes the file at the end of
 * the task. Failure: {@link IOException}, and no file is left.
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

  /** Opens files of this manager. */
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

  /** Deletes the file at once if the task has ended, because nothing else would. */
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
    } catch (IOException | RuntimeException e) { // the fetch has failed already
      LOG.warn("{} could not be closed", file.path(), e);
    }
    file.delete();
  }
}
