package io.sluice.hadoop.files;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.files.ClusterOutputStream.PoolWriter;
import io.sluice.hadoop.files.FileRecord.RecordReader;
import io.sluice.rdma.text.ErrorText;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes that files have elsewhere than in their records, in pools and copies: where they begin,
 * which files have some, and how they are freed.
 *
 * <p>Differs from {@link FileNodes}, which talks to the nodes, in knowing records and copies.
 * Thread contract: safe from any thread. Ownership: owns nothing; the file system has the readers
 * and closes them. Failure: that of the root's file system; bytes that cannot be freed are logged.
 */
final class PooledFiles {
  private static final Logger LOG = LoggerFactory.getLogger(PooledFiles.class);

  private final FilesRoot root;
  private final FileSystem base;
  private final RecordReader records;
  private final FileNodes nodes;
  private final ContainerNode own; // null where there is none
  private final FallbackPolicy fallback;
  private final boolean copies;
  private final FileCounts counts;

  /**
   * Looks after the files below a root.
   *
   * @param own the node of this process; null where there is none
   * @param copies whether each file gets a copy
   */
  PooledFiles(
      FilesRoot root,
      RecordReader records,
      FileNodes nodes,
      ContainerNode own,
      FallbackPolicy fallback,
      boolean copies,
      FileCounts counts) {
    this.root = root;
    this.base = root.base();
    this.records = records;
    this.nodes = nodes;
    this.own = own;
    this.fallback = fallback;
    this.copies = copies;
    this.counts = counts;
  }

  /** Begins a file in the pool of this node; null where there is no pool. */
  PoolWriter begin(long blockBytes) throws IOException {
    if (own == null) {
      return null;
    }
    try {
      return own.begin(blockBytes, copies);
    } catch (IOException e) {
      String refusal = fallback.refusal("the pool of this node does not take a file");
      if (refusal != null) {
        throw new IOException(refusal + ": " + ErrorText.of(e), e);
      }
      counts.add(FileCounts.Count.FALLBACK_FILE_TO_ROOT, 1);
      LOG.warn("A file goes to {} instead of this node's pool: {}", base.getUri(), e.toString());
      return null;
    }
  }

  /** Begins the copy of a file; null where files have none. */
  FSDataOutputStream createCopy(PooledFile file) throws IOException {
    return copies ? base.create(root.copyOf(file), false) : null;
  }

  /** Opens the copy of a file whose node cannot be read. */
  FSDataInputStream openCopy(PooledFile file) throws IOException {
    counts.add(FileCounts.Count.FALLBACK_READ_OF_COPY, 1);
    return base.open(root.copyOf(file));
  }

  /** The file with this record, if its bytes are in a pool; it is about to be replaced. */
  List<PooledFile> replacedBy(Path record) throws IOException {
    try {
      FileStatus status = base.getFileStatus(record);
      if (status.isDirectory()) {
        throw new FileAlreadyExistsException(record + " is a directory");
      }
      return records.read(status).pooled().stream().toList();
    } catch (FileNotFoundException e) {
      return List.of();
    }
  }

  /** All files of a record or a directory of records whose bytes are in pools. */
  List<PooledFile> under(Path record) throws IOException {
    List<FileStatus> files = new ArrayList<>();
    try {
      addFilesUnder(base.getFileStatus(record), files);
    } catch (FileNotFoundException e) {
      return List.of(); // gone meanwhile, by somebody who frees it
    }
    return records.read(files).stream()
        .flatMap(Optional::stream)
        .flatMap(each -> each.pooled().stream())
        .toList();
  }

  private void addFilesUnder(FileStatus status, List<FileStatus> files) throws IOException {
    if (status.isFile()) {
      files.add(status);
      return;
    }
    FileStatus[] children;
    try {
      children = base.listStatus(status.getPath());
    } catch (FileNotFoundException e) {
      return; // as above
    }
    for (FileStatus child : children) {
      addFilesUnder(child, files);
    }
  }

  /** Frees the bytes of a file whose writer has failed; a copy of it stays with its record. */
  void free(PooledFile file) {
    nodes.free(List.of(file));
  }

  /** Frees the bytes of files whose records are gone, and deletes their copies. */
  void delete(List<PooledFile> files) throws IOException {
    for (PooledFile file : files) {
      if (file.copied()) {
        base.delete(root.copyOf(file), false);
      }
    }
    nodes.free(files);
  }
}
