package io.sluice.local.cache;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.util.FSDownload;

/** Copies what a job's distributed cache names into the job's local directories. */
final class CacheDownload {
  private CacheDownload() {}

  /**
   * All of it, from whatever file systems, in the order in which the job names it.
   *
   * @param isCancelled asked before each; if so, the rest is not copied
   * @throws IOException that names what could not be copied, and says why
   */
  static List<CacheFile> all(JobConf conf, BooleanSupplier isCancelled) throws IOException {
    Map<String, LocalResource> resources = new LinkedHashMap<>();
    MRApps.setupDistributedCache(conf, resources);
    LocalDirAllocator directories = new LocalDirAllocator(MRConfig.LOCAL_DIR);
    List<CacheFile> files = new ArrayList<>();
    for (Map.Entry<String, LocalResource> each : resources.entrySet()) {
      if (isCancelled.getAsBoolean()) {
        throw new InterruptedIOException("killed before " + each.getKey() + " was localized");
      }
      org.apache.hadoop.fs.Path directory =
          directories.getLocalPathForWrite(CacheFile.DIRECTORY + "/" + files.size(), conf);
      files.add(copy(conf, each.getKey(), each.getValue(), directory));
    }
    return files;
  }

  private static CacheFile copy(
      JobConf conf, String link, LocalResource resource, org.apache.hadoop.fs.Path directory)
      throws IOException {
    // The download forgets what it is of.
    boolean isArchive = resource.getType() == LocalResourceType.ARCHIVE;
    org.apache.hadoop.fs.Path source = source(resource);
    try {
      org.apache.hadoop.fs.Path local =
          new FSDownload(
                  FileContext.getLocalFSFileContext(conf),
                  UserGroupInformation.getCurrentUser(),
                  conf,
                  directory,
                  resource)
              .call();
      return new CacheFile(
          link, source.toUri().getPath(), isArchive, Path.of(local.toUri().getPath()));
    } catch (Exception e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      String advice = LocaleAdvice.about(source.toUri().getPath(), link);
      throw new IOException(
          "cannot localize " + source + " as " + link + ": " + reason + advice, e);
    }
  }

  private static org.apache.hadoop.fs.Path source(LocalResource resource) throws IOException {
    try {
      return resource.getResource().toPath();
    } catch (URISyntaxException e) {
      throw new IOException("not a file to localize: " + resource.getResource(), e);
    }
  }
}
