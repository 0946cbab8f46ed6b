package io.sluice.hadoop.files;

import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.conf.UnknownSettings;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.files.FileRecord.InlineInputStream;
import io.sluice.hadoop.files.FileRecord.RecordReader;
import io.sluice.hadoop.files.FilesRoot.Renaming;
import io.sluice.hadoop.files.PooledFile.ClusterFileStatus;
import io.sluice.hadoop.fs.NamedFileSystem;
import io.sluice.hadoop.fs.SluiceFileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file system {@code sluice://cluster/}: names in a directory of another file system, bytes in
 * the pools of the nodes whose tasks wrote them, until the files are deleted.
 *
 * <p>Differs from the one of {@code sluice:///} in that its files outlive every process but those
 * of the nodes' services.
 *
 * <p>Thread contract: safe from any thread. Ownership: its maker closes it, after all streams; the
 * files stay. Failure: the exceptions that Hadoop specifies for file systems; reading a file of a
 * lost node is an {@link IOException}.
 */
public final class ClusterFileSystem extends NamedFileSystem implements IOStatisticsSource {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterFileSystem.class);

  private final Map<String, String> environment;
  private final FileCounts fallbacks = new FileCounts();
  private FilesRoot root;
  private FileSystem base;
  private FileNodes nodes;
  private RecordReader records;
  private PooledFiles pooledFiles;

  /**
   * Counts in the statistics of the file system that hands on to this one.
   *
   * @param environment of this process, which says whether it is a container of a node with a
   *     service
   */
  public ClusterFileSystem(Supplier<Statistics> counts, Map<String, String> environment) {
    super(counts);
    this.environment = environment;
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    begin(SluiceFileSystem.CLUSTER, conf);
    UnknownSettings.warn(conf);
    FallbackPolicy fallback = FallbackPolicy.of(conf);
    boolean copies = JobSettings.CLUSTER_WRITE_BEHIND.get(conf::getTrimmed);
    root = FilesRoot.open(conf);
    base = root.base();
    records = new RecordReader(base, UserGroupInformation.getCurrentUser());
    long timeoutMs = JobSettings.IO_TIMEOUT_MS.get(conf::getTrimmed);
    ContainerNode own = ownNode(timeoutMs);
    nodes = new FileNodes(root, conf, timeoutMs, own, fallbacks);
    pooledFiles = new PooledFiles(root, records, nodes, own, fallback, copies, fallbacks);
  }

  private ContainerNode ownNode(long timeoutMs) {
    try {
      return ContainerNode.find(environment, root, timeoutMs);
    } catch (IOException e) {
      LOG.debug("Files of {} are written to {}: {}", getUri(), base.getUri(), e.toString());
      return null;
    }
  }

  @Override
  public FileSystem[] getChildFileSystems() {
    return new FileSystem[] {base};
  }

  /** The path of a file's record. */
  private Path below(Path path) {
    String name = nameOf(path);
    return name.equals(Path.SEPARATOR) ? root.files() : new Path(root.files() + name);
  }

  private boolean isRoot(Path path) {
    return below(path).equals(root.files());
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    reads();
    LongConsumer counter = bytes -> counts().incrementBytesRead(bytes);
    FSDataInputStream in = base.open(below(path), bufferSize);
    boolean handedOn = false;
    try {
      // The record's length is needed for a file that lies in it; its stream does not ask for it.
      FileRecord record = FileRecord.read(in, FileRecord.HEAD_BYTES);
      if (!record.isWhole()) {
        throw new IOException(
            makeQualified(path) + " is still being written, or its writer has died");
      }
      if (record.pooled().isEmpty()) {
        handedOn = true;
        return new FSDataInputStream(new InlineInputStream(in, counter));
      }
      PooledFile pooled = record.pooled().get();
      return new FSDataInputStream(
          new PoolInputStream(
              makeQualified(path), pooled, record.lengthBytes(), nodes, pooledFiles, counter));
    } finally {
      if (!handedOn) {
        in.close();
      }
    }
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockBytes,
      Progressable progress)
      throws IOException {
    writes();
    Path file = below(path);
    List<PooledFile> replaced = overwrite ? pooledFiles.replacedBy(file) : List.of();
    FSDataOutputStream record =
        base.create(file, permission, overwrite, bufferSize, replication, blockBytes, progress);
    return written(record, blockBytes, replaced);
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockBytes,
      Progressable progress)
      throws IOException {
    if (flags.contains(CreateFlag.APPEND)) {
      throw noAppend();
    }
    writes();
    Path file = below(path);
    List<PooledFile> replaced =
        flags.contains(CreateFlag.OVERWRITE) ? pooledFiles.replacedBy(file) : List.of();
    FSDataOutputStream record =
        base.createNonRecursive(
            file, permission, flags, bufferSize, replication, blockBytes, progress);
    return written(record, blockBytes, replaced);
  }

  private FSDataOutputStream written(
      FSDataOutputStream record, long blockBytes, List<PooledFile> replaced) throws IOException {
    pooledFiles.delete(replaced);
    return new FSDataOutputStream(
        new ClusterOutputStream(record, pooledFiles, blockBytes), counts());
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw noAppend();
  }

  private UnsupportedOperationException noAppend() {
    return new UnsupportedOperationException("files of " + getUri() + " are written once");
  }

  /** As on HDFS, an existing file is not replaced. */
  @Override
  public boolean rename(Path from, Path to) throws IOException {
    writes();
    Path target = below(to);
    if (isFileBelow(target) || isRoot(from)) {
      return false;
    }
    return base.rename(below(from), target);
  }

  /**
   * In one step, if the root's file system renames in one step. Then a file that is replaced exists
   * until the other one has its name.
   */
  @Override
  @SuppressWarnings("deprecation") // Hadoop calls no other method for it
  protected void rename(Path from, Path to, Options.Rename... options) throws IOException {
    writes();
    if (isRoot(from)) {
      throw new IOException("the root of " + getUri() + " cannot be renamed");
    }
    Path target = below(to);
    boolean replaces = List.of(options).contains(Options.Rename.OVERWRITE) && isFileBelow(target);
    List<PooledFile> replaced = replaces ? pooledFiles.replacedBy(target) : List.of();
    Renaming.rename(base, below(from), target, options);
    pooledFiles.delete(replaced);
  }

  private boolean isFileBelow(Path below) throws IOException {
    try {
      return base.getFileStatus(below).isFile();
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    writes();
    Path below = below(path);
    if (below.equals(root.files())) {
      if (!recursive && base.listStatus(below).length > 0) {
        throw new PathIsNotEmptyDirectoryException(path.toString());
      }
      return false; // it stays
    }
    List<PooledFile> freed = recursive || isFileBelow(below) ? pooledFiles.under(below) : List.of();
    boolean deleted = base.delete(below, recursive);
    if (deleted) {
      pooledFiles.delete(freed);
    }
    return deleted;
  }

  private FileStatus status(FileStatus below, Path path) throws IOException {
    return below.isDirectory()
        ? ClusterFileStatus.directory(below, path)
        : ClusterFileStatus.of(below, path, records.read(below));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    reads();
    Path qualified = makeQualified(path);
    try {
      return status(base.getFileStatus(below(path)), qualified);
    } catch (FileNotFoundException e) {
      throw missing(qualified, e);
    }
  }

  private static FileNotFoundException missing(Path path, FileNotFoundException cause) {
    FileNotFoundException missing = new FileNotFoundException(path + " does not exist");
    missing.initCause(cause);
    return missing;
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    reads();
    Path qualified = makeQualified(path);
    FileStatus[] below;
    try {
      below = base.listStatus(below(path));
    } catch (FileNotFoundException e) {
      throw missing(qualified, e);
    }
    boolean isFile = below.length == 1 && isFileItself(below[0], path);
    List<FileStatus> files = Arrays.stream(below).filter(FileStatus::isFile).toList();
    Iterator<Optional<FileRecord>> read = records.read(files).iterator();
    List<FileStatus> found = new ArrayList<>(below.length);
    for (FileStatus each : below) {
      Path name = isFile ? qualified : new Path(qualified, each.getPath().getName());
      if (each.isFile()) { // unless it was deleted while it was listed
        read.next().ifPresent(record -> found.add(ClusterFileStatus.of(each, name, record)));
      } else {
        found.add(ClusterFileStatus.directory(each, name));
      }
    }
    return found.toArray(FileStatus[]::new);
  }

  private boolean isFileItself(FileStatus below, Path path) {
    return below.isFile()
        && below.getPath().toUri().getPath().equals(below(path).toUri().getPath());
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long fromBytes, long lengthBytes)
      throws IOException {
    if (file == null) {
      return new BlockLocation[0];
    }
    if (fromBytes < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          "locations of %s bytes from %s".formatted(lengthBytes, fromBytes));
    }
    if (file.isDirectory() || fromBytes >= file.getLen()) {
      return new BlockLocation[0];
    }
    Path below = below(file.getPath());
    Optional<PooledFile> pooled =
        file instanceof ClusterFileStatus known && known.pooled().isPresent()
            ? known.pooled()
            : records.read(base.getFileStatus(below)).pooled();
    return pooled.isPresent()
        ? pooled.get().locations(file.getLen(), fromBytes, lengthBytes)
        : base.getFileBlockLocations(below, fromBytes, lengthBytes);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    writes();
    return base.mkdirs(below(path), permission);
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    writes();
    base.setPermission(below(path), permission);
  }

  @Override
  public void setOwner(Path path, String owner, String group) throws IOException {
    writes();
    base.setOwner(below(path), owner, group);
  }

  @Override
  public void setTimes(Path path, long modifiedMs, long accessedMs) throws IOException {
    writes();
    base.setTimes(below(path), modifiedMs, accessedMs);
  }

  @Override
  public void access(Path path, FsAction action) throws IOException {
    base.access(below(path), action);
  }

  @Override
  @SuppressWarnings("deprecation") // createFile asks for it
  public long getDefaultBlockSize() {
    return base.getDefaultBlockSize(root.files());
  }

  @Override
  @SuppressWarnings("deprecation") // as above
  public short getDefaultReplication() {
    return base.getDefaultReplication(root.files());
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return switch (PathCapabilitiesSupport.validatePathCapabilityArgs(
        makeQualified(path), capability)) {
      case CommonPathCapabilities.FS_APPEND,
          CommonPathCapabilities.FS_CONCAT,
          CommonPathCapabilities.FS_TRUNCATE ->
          false;
      case CommonPathCapabilities.FS_PERMISSIONS -> true;
      default -> super.hasPathCapability(path, capability);
    };
  }

  /** Bytes that were read so far, by path: in place, or over a transport. */
  Map<String, Long> bytesRead() {
    return nodes.bytesRead();
  }

  /** How often each fallback was taken. */
  @Override
  public IOStatistics getIOStatistics() {
    return fallbacks.statistics();
  }

  @Override
  public void close() throws IOException {
    super.close();
    if (records != null) {
      records.close();
    }
    if (nodes != null) {
      Map<String, Long> read = nodes.bytesRead();
      if (!read.isEmpty()) {
        LOG.info("Bytes read of {}, by path: {}", getUri(), read);
      }
      if (!fallbacks.found().isEmpty()) {
        LOG.warn("Fallbacks of {}: {}", getUri(), fallbacks.found());
      }
      nodes.close();
    }
  }
}
