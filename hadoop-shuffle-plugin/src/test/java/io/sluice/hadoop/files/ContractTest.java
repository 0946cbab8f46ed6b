package io.sluice.hadoop.files;

import io.sluice.hadoop.testing.TestNode;
import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.contract.AbstractContractBulkDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractContentSummaryTest;
import org.apache.hadoop.fs.contract.AbstractContractCopyFromLocalTest;
import org.apache.hadoop.fs.contract.AbstractContractCreateTest;
import org.apache.hadoop.fs.contract.AbstractContractDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractGetFileStatusTest;
import org.apache.hadoop.fs.contract.AbstractContractMkdirTest;
import org.apache.hadoop.fs.contract.AbstractContractOpenTest;
import org.apache.hadoop.fs.contract.AbstractContractRenameTest;
import org.apache.hadoop.fs.contract.AbstractContractRootDirectoryTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractSetTimesTest;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hadoop's contract suites, as a task on a node has the file system, with names in a directory. */
class ContractTest {
  private static final URI ROOT = URI.create("sluice://cluster/");
  private static final long POOL_BYTES = 64 << 20;

  @TempDir static Path directory;
  private static TestNode node;
  private static FileSystem files;

  @BeforeAll
  static void start() throws IOException {
    node = TestNode.start(directory.resolve("node"), POOL_BYTES);
    files =
        new ClusterFiles(directory.resolve("root"))
            .with("fs.file.impl", LocalFileSystem.class.getName())
            .task(node);
  }

  @AfterAll
  static void stop() throws IOException {
    Closer.all(files, node);
  }

  private static final class ClusterContract extends AbstractFSContract {
    ClusterContract(Configuration conf) {
      super(conf);
      addConfResource("contract/cluster.xml");
    }

    @Override
    public FileSystem getTestFileSystem() {
      return files;
    }

    @Override
    public String getScheme() {
      return ROOT.getScheme();
    }

    @Override
    public org.apache.hadoop.fs.Path getTestPath() {
      return new org.apache.hadoop.fs.Path(ROOT.resolve("/test"));
    }
  }

  @Nested
  class Create extends AbstractContractCreateTest {
    @Override
    @Test
    @Disabled("a file can be read once it is closed; before that it is refused")
    public void testSyncable() {}

    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class Delete extends AbstractContractDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class Mkdir extends AbstractContractMkdirTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class Open extends AbstractContractOpenTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class Rename extends AbstractContractRenameTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class Seek extends AbstractContractSeekTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class GetFileStatus extends AbstractContractGetFileStatusTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class RootDirectory extends AbstractContractRootDirectoryTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class SetTimes extends AbstractContractSetTimesTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class ContentSummary extends AbstractContractContentSummaryTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class CopyFromLocal extends AbstractContractCopyFromLocalTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class VectoredRead extends AbstractContractVectoredReadTest {
    VectoredRead(String buffers) {
      super(buffers);
    }

    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }

  @Nested
  class BulkDelete extends AbstractContractBulkDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration conf) {
      return new ClusterContract(conf);
    }
  }
}
