package io.sluice.local.cache;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URISyntaxException;
import java.nio.charset.Charset;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.filecache.DistributedCache;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.util.FSDownload;

/** Copies the files of a job's distributed cache into the job's local directories. */
final class CacheDownload {
  private CacheDownload() {}

  /**
   * Copies all files and archives, from any file system, in the order in which the job names them.
   *
   * @param isCancelled asked before each copy; if true the download fails
   * @throws IOException that names the file that could not be copied, and the reason
   */
  static List<CacheFile> all(JobConf conf, BooleanSupplier isCancelled) throws IOException {
    Map<String, LocalResource> resources = new LinkedHashMap<>();
    MRApps.setupDistributedCache(conf, resources);
    LocalDirAllocator directories = new LocalDirAllocator(MRConfig.LOCAL_DIR);
    List<CacheFile> files = new ArrayList<>();
    for (Map.Entry<String, LocalResource> each : resources.entrySet()) {
      if (isCancelled.getAsBoolean()) {
        throw new InterruptedIOException(
            "the job was killed before " + each.getKey() + " was copied");
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
    // FSDownload changes the resource's type.
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
          "cannot copy " + source + " of the distributed cache as " + link + ": " + reason + advice,
          e);
    }
  }

  private static org.apache.hadoop.fs.Path source(LocalResource resource) throws IOException {
    try {
      return resource.getResource().toPath();
    } catch (URISyntaxException e) {
      throw new IOException("the distributed cache names no file: " + resource.getResource(), e);
    }
  }

  /**
   * A copied file or unpacked archive of a job's distributed cache.
   *
   * @param link its name in the job; a name that ends with a wildcard means the contents of a
   *     directory
   * @param sourcePath the path of the source, without its file system
   * @param isArchive whether it was unpacked
   * @param local the copy
   */
  @SuppressWarnings("deprecation") // the wildcard's name
  record CacheFile(String link, String sourcePath, boolean isArchive, Path local) {
    /** The name of the directory for copies, in a local directory of the job. */
    static final String DIRECTORY = "sluice-cache";

    private boolean isWildcard() {
      return link.equals(DistributedCache.WILDCARD)
          || link.endsWith("/" + DistributedCache.WILDCARD);
    }

    /** The links for the working directory: names and targets. */
    Map<String, Path> links() throws IOException {
      if (!isWildcard()) {
        return Map.of(link, local);
      }
      Map<String, Path> links = new LinkedHashMap<>();
      try (DirectoryStream<Path> children = Files.newDirectoryStream(local)) {
        children.forEach(child -> links.put(child.getFileName().toString(), child));
      }
      return links;
    }

    /** The copy of the source path, if this is it or contains it; else null. */
    Path localOf(org.apache.hadoop.fs.Path source) {
      String path = source.toUri().getPath();
      if (path.equals(sourcePath)) {
        return local;
      }
      boolean isIn = isWildcard() && path.equals(sourcePath + "/" + source.getName());
      return isIn ? local.resolve(source.getName()) : null;
    }
  }

  /**
   * Advice for names of files that this process cannot use. Java encodes names by the locale in
   * which it was started; with {@code LC_ALL=C} that is ASCII.
   *
   * <p>Thread contract: stateless.
   */
  static final class LocaleAdvice {
    private static final String ENCODING = System.getProperty("sun.jnu.encoding");

    private LocaleAdvice() {}

    /** Text for the end of a message; empty if the names are not the cause. */
    static String about(String... names) {
      return about(Charset.forName(ENCODING), names);
    }

    static String about(Charset encoding, String... names) {
      for (String name : names) {
        if (!encoding.newEncoder().canEncode(name)) {
          return "; the encoding of this process's locale, "
              + encoding
              + ", cannot express the name "
              + name
              + ": start Java with LC_ALL=C.UTF-8";
        }
      }
      return "";
    }
  }
}
