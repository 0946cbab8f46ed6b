package io.sluice.memory.fs;

import io.sluice.hadoop.fs.NamedFileSystem;
import io.sluice.memory.fs.MemoryFileStatus.FileHandle;
import io.sluice.memory.fs.MemoryFileStatus.MemoryLocatedFileStatus;
import io.sluice.memory.fs.stream.MemoryInputStream;
import io.sluice.memory.fs.stream.MemoryOutputStream;
import io.sluice.memory.fs.tree.Entry;
import io.sluice.memory.fs.tree.Entry.NewNode;
import io.sluice.memory.fs.tree.Namespace;
import io.sluice.memory.fs.tree.OpenFile;
import io.sluice.memory.fs.tree.TreePath;
import io.sluice.memory.store.ProcessStore;
import io.sluice.spill.store.StoreStats.TierStats;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.impl.FileSystemMultipartUploaderBuilder;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The file system {@code sluice:}. Its files lie in the memory of this process, and on disk when
 * the memory is full. All instances in the process share them, and they end with the process. The
 * rules are those of HDFS for one user: permissions are kept and shown, but forbid nothing.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller closes it; the files stay.
 * Failure: the exceptions that Hadoop specifies for file systems.
 */
public final class MemoryFileSystem extends NamedFileSystem {
  private Namespaces.Files files;
  private Namespace namespace;
  private ProcessStore store;

  /** Counts in the statistics of the file system that delegates to this one. */
  public MemoryFileSystem(Supplier<Statistics> counts) {
    super(counts);
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    String authority = Optional.ofNullable(name.getAuthority()).orElse("").toLowerCase(Locale.ROOT);
    begin(authority, conf);
    files = Namespaces.of(authority, conf, user());
    namespace = files.namespace();
    store = ProcessStore.of(conf);
  }

  private TreePath tree(Path path) {
    return TreePath.of(nameOf(path));
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    reads();
    return input(namespace.open(tree(path)));
  }

  private FSDataInputStream input(OpenFile file) {
    return new FSDataInputStream(
        new MemoryInputStream(file, bytes -> counts().incrementBytesRead(bytes)));
  }

  @Override
  protected PathHandle createPathHandle(FileStatus status, HandleOpt... options) {
    return FileHandle.of(status, tree(status.getPath()), options);
  }

  @Override
  public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
    reads();
    FileHandle wanted = FileHandle.read(handle);
    Entry.Located found = namespace.find(wanted.id());
    OpenFile file = found == null ? null : namespace.open(wanted.id());
    if (file == null) {
      throw new InvalidPathHandleException("the file is gone: " + wanted);
    }
    try {
      wanted.check(found);
    } catch (InvalidPathHandleException e) {
      file.close();
      throw e;
    }
    return input(file);
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
    return create(
        path,
        masked(permission, FsPermission.getFileDefault()),
        createFlags(overwrite),
        true,
        replication,
        blockBytes);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockBytes,
      Progressable progress,
      ChecksumOpt checksum)
      throws IOException {
    return create(
        path,
        masked(permission, FsPermission.getFileDefault()),
        flags,
        true,
        replication,
        blockBytes);
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
    return create(
        path,
        masked(permission, FsPermission.getFileDefault()),
        flags,
        false,
        replication,
        blockBytes);
  }

  @Override
  @SuppressWarnings("deprecation") // what FileContext calls
  protected FSDataOutputStream primitiveCreate(
      Path path,
      FsPermission absolutePermission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockBytes,
      Progressable progress,
      ChecksumOpt checksum)
      throws IOException {
    return create(path, absolutePermission, flags, true, replication, blockBytes);
  }

  private static EnumSet<CreateFlag> createFlags(boolean overwrite) {
    return overwrite
        ? EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE)
        : EnumSet.of(CreateFlag.CREATE);
  }

  private FsPermission masked(FsPermission permission, FsPermission byDefault) {
    return (permission == null ? byDefault : permission)
        .applyUMask(FsPermission.getUMask(getConf()));
  }

  private FSDataOutputStream create(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      boolean createParent,
      short replication,
      long blockBytes)
      throws IOException {
    CreateFlag.validate(flags);
    TreePath file = tree(path);
    boolean create = flags.contains(CreateFlag.CREATE);
    if (!create || flags.contains(CreateFlag.APPEND)) {
      boolean exists = exists(path);
      CreateFlag.validate(path, exists, flags);
      if (exists && flags.contains(CreateFlag.APPEND)) {
        return append(path);
      }
    }
    writes();
    NewNode like = new NewNode(user(), permission, createParent);
    boolean overwrite = flags.contains(CreateFlag.OVERWRITE);
    return output(namespace.create(file, like, replication, blockBytes, overwrite));
  }

  private FSDataOutputStream output(OpenFile file) throws IOException {
    long startBytes = file.content().lengthBytes();
    return new FSDataOutputStream(MemoryOutputStream.open(file, this), counts(), startBytes);
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    writes();
    return output(namespace.append(tree(path)));
  }

  @Override
  public void concat(Path target, Path[] sources) throws IOException {
    writes();
    if (sources.length == 0) {
      throw new IllegalArgumentException("no files given to append to " + target);
    }
    namespace.concat(tree(target), Arrays.stream(sources).map(this::tree).toList());
  }

  @Override
  public boolean truncate(Path path, long keptBytes) throws IOException {
    writes();
    namespace.truncate(tree(path), keptBytes);
    return true;
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    writes();
    return namespace.move(tree(from), tree(to));
  }

  @Override
  @SuppressWarnings("deprecation") // what FileContext calls
  protected void rename(Path from, Path to, Rename... options) throws IOException {
    writes();
    namespace.rename(tree(from), tree(to), Arrays.asList(options).contains(Rename.OVERWRITE));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    writes();
    return namespace.delete(tree(path), recursive);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    return makeDirectories(path, masked(permission, FsPermission.getDirDefault()));
  }

  @Override
  @SuppressWarnings("deprecation") // what FileContext calls
  protected boolean primitiveMkdir(Path path, FsPermission absolutePermission) throws IOException {
    return makeDirectories(path, absolutePermission);
  }

  private boolean makeDirectories(Path path, FsPermission permission) throws IOException {
    writes();
    namespace.makeDirectories(tree(path), new NewNode(user(), permission, true));
    return true;
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    reads();
    return new MemoryFileStatus(namespace.status(tree(path)), makeQualified(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return statuses(path).toArray(FileStatus[]::new);
  }

  private List<MemoryFileStatus> statuses(Path path) throws IOException {
    reads();
    Entry.Listing listing = namespace.list(tree(path));
    Path qualified = makeQualified(path);
    if (listing.file().isPresent()) {
      return List.of(new MemoryFileStatus(listing.file().get(), qualified));
    }
    List<MemoryFileStatus> statuses = new ArrayList<>(listing.children().size());
    for (Entry child : listing.children()) {
      statuses.add(new MemoryFileStatus(child, new Path(qualified, child.name())));
    }
    return statuses;
  }

  @Override
  protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter)
      throws IOException {
    RemoteIterator<MemoryFileStatus> accepted =
        RemoteIterators.filteringRemoteIterator(
            RemoteIterators.remoteIteratorFromIterable(statuses(path)),
            status -> filter.accept(status.getPath()));
    return RemoteIterators.mappingRemoteIterator(
        accepted,
        status ->
            new MemoryLocatedFileStatus(
                status,
                status.isFile() ? getFileBlockLocations(status, 0, status.getLen()) : null));
  }

  @Override
  public FsStatus getStatus(Path path) {
    TierStats memory = store.stats().memory();
    long capacityBytes = memory.capacityBytes();
    return new FsStatus(
        capacityBytes, memory.usedBytes(), Math.max(0, capacityBytes - memory.usedBytes()));
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    writes();
    namespace.setPermission(tree(path), permission);
  }

  @Override
  public void setOwner(Path path, String owner, String group) throws IOException {
    writes();
    if (owner == null && group == null) {
      throw new IllegalArgumentException("no owner and no group given for " + path);
    }
    namespace.setOwner(tree(path), owner, group);
  }

  @Override
  public void setTimes(Path path, long modifiedMs, long accessedMs) throws IOException {
    writes();
    namespace.setTimes(tree(path), modifiedMs, accessedMs);
  }

  @Override
  public boolean setReplication(Path path, short replication) throws IOException {
    writes();
    return namespace.setReplication(tree(path), replication);
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    writes();
    namespace.setAttribute(tree(path), name, value, flags);
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    writes();
    namespace.removeAttribute(tree(path), name);
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    return getXAttrs(path, List.of(name)).get(name);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    reads();
    return namespace.attributes(tree(path));
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
    reads();
    return namespace.attributes(tree(path), names);
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    return new ArrayList<>(getXAttrs(path).keySet());
  }

  @Override
  public MultipartUploaderBuilder<?, ?> createMultipartUploader(Path base) throws IOException {
    return new FileSystemMultipartUploaderBuilder(this, base);
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return switch (PathCapabilitiesSupport.validatePathCapabilityArgs(
        makeQualified(path), capability)) {
      case CommonPathCapabilities.FS_APPEND,
          CommonPathCapabilities.FS_CONCAT,
          CommonPathCapabilities.FS_TRUNCATE,
          CommonPathCapabilities.FS_PERMISSIONS,
          CommonPathCapabilities.FS_XATTRS,
          CommonPathCapabilities.FS_PATHHANDLES,
          CommonPathCapabilities.FS_MULTIPART_UPLOADER,
          CommonPathCapabilities.ETAGS_AVAILABLE,
          CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME,
          CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS ->
          true;
      default -> super.hasPathCapability(path, capability);
    };
  }

  /** Closes the files that were opened for writing here, and waits for write-behind. */
  @Override
  public void close() throws IOException {
    MemoryOutputStream.closeOf(this);
    super.close();
    if (files != null) {
      files.await();
    }
  }
}
