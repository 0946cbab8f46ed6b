package io.sluice.memory.fs.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FCStatisticsBaseTest;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextPermissionBase;
import org.apache.hadoop.fs.FileContextURIBase;
import org.apache.hadoop.fs.FileContextUtilBase;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** Hadoop's suites of {@link FileContext}. */
class FileContextTest {
  /** As in a process that has used any file system before: then Hadoop knows this one's class. */
  private static FileContext newContext(String authority) throws IOException {
    FileSystem.getFileSystemClass("sluice", new Configuration());
    return FileContext.getFileContext(
        URI.create("sluice://" + authority + "/"), new Configuration());
  }

  @Nested
  class MainOperations extends FileContextMainOperationsBaseTest {
    @BeforeEach
    @Override
    public void setUp() throws Exception {
      fc = newContext("main");
      super.setUp();
    }

    @Override
    protected Path getDefaultWorkingDirectory() {
      return fc.makeQualified(new Path("/user/" + System.getProperty("user.name")));
    }

    @Override
    protected boolean listCorruptedBlocksSupported() {
      return false;
    }
  }

  @Nested
  class Uris extends FileContextURIBase {
    @BeforeEach
    @Override
    public void setUp() throws Exception {
      fc1 = newContext("uris");
      fc2 = newContext("uris");
      super.setUp();
    }
  }

  @Nested
  class Permissions extends FileContextPermissionBase {
    @Override
    protected FileContext getFileContext() throws IOException {
      return newContext("permissions");
    }
  }

  @Nested
  class Utilities extends FileContextUtilBase {
    @BeforeEach
    @Override
    public void setUp() throws Exception {
      fc = newContext("utilities");
      super.setUp();
    }
  }

  @Nested
  class CreateAndMkdir extends FileContextCreateMkdirBaseTest {
    @BeforeEach
    @Override
    public void setUp() throws Exception {
      fc = newContext("mkdir");
      super.setUp();
    }
  }

  @Nested
  class Statistics extends FCStatisticsBaseTest {
    @BeforeEach
    void setUp() throws Exception {
      fc = newContext("statistics");
      fc.mkdir(fileContextTestHelper.getTestRootPath(fc, "test"), null, true);
    }

    @AfterEach
    void tearDown() throws Exception {
      fc.delete(fileContextTestHelper.getTestRootPath(fc, "test"), true);
    }

    @Override
    protected void verifyReadBytes(FileSystem.Statistics statistics) {
      assertEquals(2L * blockSize, statistics.getBytesRead());
    }

    @Override
    protected void verifyWrittenBytes(FileSystem.Statistics statistics) {
      assertEquals((long) blockSize * numBlocks, statistics.getBytesWritten());
    }

    @Override
    protected URI getFsUri() {
      return URI.create("sluice://statistics/");
    }
  }
}
