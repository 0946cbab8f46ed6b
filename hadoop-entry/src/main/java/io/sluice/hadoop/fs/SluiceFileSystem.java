package io.sluice.hadoop.fs;

import io.sluice.hadoop.entry.Implementation;
import io.sluice.hadoop.entry.Implementation.Declined;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import java.io.IOException;
import java.net.URI;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;

/**
 * The entry of the file system {@code sluice:}. Its files lie in the memory of the process; those
 * of {@code sluice://cluster/} lie in the pools of a cluster's nodes.
 *
 * <p>Hadoop creates an object of every file system's class to ask for its scheme, so this is Java 8
 * bytecode; see {@link JavaVersion}. It forwards the operations that {@link FilterFileSystem} does
 * not forward and that are not built from other operations.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that got it from Hadoop closes
 * it. Failure: {@link #initialize} throws an {@link IOException} that says why there is no such
 * file system here.
 */
public final class SluiceFileSystem extends FilterFileSystem implements IOStatisticsSource {
  /** The scheme of its URIs. */
  public static final String SCHEME = "sluice";

  /** The authority of files in the pools of a cluster's nodes. */
  public static final String CLUSTER = "cluster";

  private static final String OF_PROCESS = "io.sluice.memory.fs.MemoryFileSystem";
  private static final String OF_CLUSTER = "io.sluice.hadoop.files.ClusterFileSystem";

  static {
    Configuration.addDefaultResource("io/sluice/hadoop/fs/sluice-default.xml");
  }

  /** Called by Hadoop. */
  public SluiceFileSystem() {}

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    String declined = JavaVersion.declineReason(JavaVersion.current());
    if (declined != null) {
      throw new IOException("there is no file system " + SCHEME + ": here: " + declined);
    }
    // The statistics are asked for at each use, because FileContext replaces them.
    Supplier<FileSystem.Statistics> counts = () -> statistics;
    try {
      fs =
          CLUSTER.equalsIgnoreCase(name.getAuthority())
              ? Implementation.make(FileSystem.class, OF_CLUSTER, counts, System.getenv())
              : Implementation.make(FileSystem.class, OF_PROCESS, counts);
    } catch (Declined e) {
      throw new IOException("there is no file system " + SCHEME + ": here: " + e.getMessage(), e);
    }
    super.initialize(name, conf);
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public String getCanonicalServiceName() {
    return fs.getCanonicalServiceName();
  }

  @Override
  public MultipartUploaderBuilder<?, ?> createMultipartUploader(Path base) throws IOException {
    return fs.createMultipartUploader(base);
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return fs.hasPathCapability(path, capability);
  }

  /** The statistics of the file system; null if it has none. */
  @Override
  public IOStatistics getIOStatistics() {
    return IOStatisticsSupport.retrieveIOStatistics(fs);
  }

  /** Renames in one step, for {@link SluiceFs}; replaces an existing file if asked to. */
  void renameTo(Path from, Path to, boolean overwrite) throws IOException {
    rename(from, to, overwrite ? Options.Rename.OVERWRITE : Options.Rename.NONE);
  }
}
