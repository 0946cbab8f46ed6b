package io.sluice.local.cache;

import io.sluice.local.cache.CacheDownload.CacheFile;
import io.sluice.local.loader.ClassCaches;
import io.sluice.local.loader.SharedNames;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContextImpl;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ApplicationClassLoader;
import org.apache.hadoop.util.RunJar;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  /**
   * The class path of a job's tasks beyond the client's: the job's jar with the classes and
   * libraries in it, and files of the distributed cache.
   */
  static final class JobClassPath {
    private static final Logger LOG = LoggerFactory.getLogger(JobClassPath.class);

    private JobClassPath() {}

    /** The class path, in the order of a task on a cluster. */
    static URL[] of(JobConf conf, JobID job, List<CacheFile> files) throws IOException {
      List<Path> all = new ArrayList<>();
      if (conf.getJar() != null) {
        addJar(all, conf, local(conf, new org.apache.hadoop.fs.Path(conf.getJar())));
      }
      JobContextImpl context = new JobContextImpl(conf, job);
      addCached(all, files, context.getFileClassPaths());
      addCached(all, files, context.getArchiveClassPaths());
      List<URL> urls = new ArrayList<>();
      for (Path each : all) {
        urls.add(url(each));
      }
      return urls.toArray(URL[]::new);
    }

    /**
     * A loader whose classes come before or after the client's, as the job's settings say. Classes
     * of Java and Hadoop always come from the process.
     */
    static URLClassLoader loader(JobConf conf, URL[] classPath) throws MalformedURLException {
      ClassLoader ofClient = conf.getClassLoader();
      if (conf.getBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, false)) {
        String[] systemClasses =
            conf.getTrimmedStrings(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER_SYSTEM_CLASSES);
        return new ApplicationClassLoader(classPath, ofClient, List.of(systemClasses));
      }
      if (conf.getBoolean(MRJobConfig.MAPREDUCE_JOB_USER_CLASSPATH_FIRST, false)) {
        return new ApplicationClassLoader(classPath, ofClient, SharedNames.patterns());
      }
      return new URLClassLoader(classPath, ofClient);
    }

    private static URL url(Path path) throws MalformedURLException {
      return path.toUri().toURL();
    }

    /** The local path of the job's jar, which is copied if it is on another file system. */
    private static Path local(JobConf conf, org.apache.hadoop.fs.Path jar) throws IOException {
      String scheme = jar.toUri().getScheme();
      if (scheme == null || scheme.equals("file")) {
        return Path.of(jar.toUri().getPath());
      }
      org.apache.hadoop.fs.Path copy =
          new LocalDirAllocator(MRConfig.LOCAL_DIR).getLocalPathForWrite("job.jar", conf);
      jar.getFileSystem(conf).copyToLocalFile(false, jar, copy, true);
      return Path.of(copy.toUri().getPath());
    }

    private static void addJar(List<Path> all, JobConf conf, Path jar) throws IOException {
      all.add(jar);
      Pattern unpacked = conf.getJarUnpackPattern();
      try (JarFile entries = new JarFile(jar.toFile())) {
        if (entries.stream().noneMatch(entry -> unpacked.matcher(entry.getName()).matches())) {
          return;
        }
      }
      org.apache.hadoop.fs.Path directory =
          new LocalDirAllocator(MRConfig.LOCAL_DIR).getLocalPathForWrite("jar/unpacked", conf);
      File inside = new File(directory.toUri().getPath());
      RunJar.unJar(jar.toFile(), inside, unpacked);
      all.add(inside.toPath().resolve("classes"));
      Path libraries = inside.toPath().resolve("lib");
      if (Files.isDirectory(libraries)) {
        try (DirectoryStream<Path> each = Files.newDirectoryStream(libraries)) {
          each.forEach(all::add);
        }
      }
    }

    private static void addCached(
        List<Path> all, List<CacheFile> files, org.apache.hadoop.fs.Path[] sources) {
      for (org.apache.hadoop.fs.Path source :
          sources == null ? new org.apache.hadoop.fs.Path[0] : sources) {
        List<Path> found =
            files.stream().flatMap(file -> Stream.ofNullable(file.localOf(source))).toList();
        Path inPlace = Path.of(source.toUri().getPath());
        if (!found.isEmpty()) {
          all.add(found.get(0));
        } else if (Files.exists(inPlace)) {
          all.add(inPlace); // local libraries of the command line are not copied
        } else {
          LOG.warn(
              "{} is missing on the tasks' class path, because the distributed cache has no"
                  + " such file",
              source);
        }
      }
    }
  }
}
