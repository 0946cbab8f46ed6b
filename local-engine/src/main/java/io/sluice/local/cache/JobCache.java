package io.sluice.local.cache;

import io.sluice.local.cache.CacheDownload.CacheFile;
import io.sluice.local.loader.ClassCaches;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The distributed cache of one job: local copies, links to them in the working directory, and a
 * class loader for the files on the class path.
 *
 * <p>Thread contract: made and closed by the job's thread. Ownership: the job closes it after its
 * tasks have ended, and then deletes its local directories, which hold the copies. Failure: {@link
 * IOException} that names the file; no links remain then.
 */
public final class JobCache implements Closeable {
  private final WorkingLinks links;
  private final URLClassLoader loader; // null if the client's loader has all classes

  private JobCache(WorkingLinks links, URLClassLoader loader) {
    this.links = links;
    this.loader = loader;
  }

  /**
   * Copies all files that the job names, and sets their local paths in the job's settings.
   *
   * @param conf of the job; its class loader becomes the job's
   * @param ancestors jobs that may wait for this one
   * @param isCancelled asked from time to time; if true this fails
   */
  public static JobCache localize(
      JobConf conf, JobID job, Set<JobID> ancestors, BooleanSupplier isCancelled)
      throws IOException {
    List<CacheFile> files = CacheDownload.all(conf, isCancelled);
    setLocal(conf, MRJobConfig.CACHE_LOCALFILES, files, false);
    setLocal(conf, MRJobConfig.CACHE_LOCALARCHIVES, files, true);
    URL[] classPath = JobClassPath.of(conf, job, files);
    Map<String, Path> targets = new LinkedHashMap<>();
    for (CacheFile file : files) {
      file.links().forEach(targets::putIfAbsent);
    }
    URLClassLoader loader = classPath.length == 0 ? null : JobClassPath.loader(conf, classPath);
    try {
      WorkingLinks links =
          WorkingLinks.make(
              Path.of("").toAbsolutePath().normalize(), targets, job, ancestors, isCancelled);
      if (loader != null) {
        conf.setClassLoader(loader);
      }
      return new JobCache(links, loader);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, loader);
      throw e;
    }
  }

  private static void setLocal(
      JobConf conf, String key, List<CacheFile> files, boolean areArchives) {
    String[] local =
        files.stream()
            .filter(file -> file.isArchive() == areArchives)
            .map(file -> file.local().toString())
            .toArray(String[]::new);
    if (local.length > 0) {
      conf.setStrings(key, local);
    }
  }

  @Override
  public void close() throws IOException {
    try (loader) {
      links.close();
    } finally {
      if (loader != null) {
        ClassCaches.forget(Set.of(loader));
      }
    }
  }
}
