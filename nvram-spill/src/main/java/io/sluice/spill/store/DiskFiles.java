package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.disk.Devices;
import io.sluice.spill.disk.DiskRequest.DiskStream;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and opens the files of the disk tier, each with the device that it lies on. {@link
 * DiskTier} knows which there are; this knows none of them.
 *
 * <p>Thread contract: safe from any thread; called under no lock where a file is made. Ownership:
 * {@link DiskTier} closes it, after the files. Failure: {@link IOException}, and the file is not
 * there.
 */
final class DiskFiles implements Closeable {
  /** Files that a former store left take turns as those of one application. */
  private static final String RECOVERED = "";

  private static final Logger LOG = LoggerFactory.getLogger(DiskFiles.class);

  private final StoreConfig config;
  private final Owner own;
  private final Devices devices;
  private final IntConsumer wrote;

  /**
   * Without files.
   *
   * @param own this process's user
   * @param wrote is told the id of a file of which something was written
   */
  DiskFiles(StoreConfig config, Owner own, IntConsumer wrote) {
    this.config = config;
    this.own = own;
    this.wrote = wrote;
    this.devices = new Devices(config.diskTimeoutMs());
  }

  /** Opens a file that a former store left. */
  DiskSegment open(SegmentInfo info, Owner owner, DiskThreads threads) throws IOException {
    return handle(info, owner, SharedFile.openForEachCall(info.path()), threads, RECOVERED);
  }

  /** Makes a file of that length, without space. */
  DiskSegment create(SegmentInfo info, Owner owner, String applicationId, DiskThreads threads)
      throws IOException {
    Path directory = info.path().getParent();
    if (devices.of(directory).hangs()) { // a new file is made in memory, and nobody could write it
      throw new IOException("the device of " + directory + " does not answer");
    }
    LockedDirectory.createFile(info.path()).close();
    DiskSegment segment;
    try {
      SharedFile file = SharedFile.openForEachCall(info.path()); // there may be very many
      segment = handle(info, owner, file, threads, applicationId);
    } catch (IOException | RuntimeException | Error e) {
      Files.deleteIfExists(info.path());
      throw e;
    }
    try {
      segment.extendTo(info.lengthBytes());
      return segment;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, segment::deleteSometime);
      throw e;
    }
  }

  private DiskSegment handle(
      SegmentInfo info, Owner owner, SharedFile file, DiskThreads threads, String applicationId)
      throws IOException {
    try {
      DeviceFile deviceFile =
          new DeviceFile(
              devices.of(info.path().getParent()),
              file,
              new DiskStream(owner.toString(), applicationId, info.segmentId()),
              () -> wrote.accept(info.segmentId()));
      return new DiskSegment(
          info, owner, owner.equals(own), file, config.medium(), threads, deviceFile);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** Deletes a file that was made when nobody waited for it any more. */
  static void deleteLate(DiskSegment segment) {
    try {
      segment.delete();
    } catch (IOException e) {
      LOG.warn("{} is left for the next start to delete", segment.info().path(), e);
    }
  }

  /** Counters of each device that was used. */
  List<DeviceStats> deviceStats() {
    return devices.stats();
  }

  /** Closes the devices. */
  @Override
  public void close() throws IOException {
    devices.close();
  }
}
