package io.sluice.local.loader;

import io.sluice.local.loader.ClassFiles.ClassFile;
import io.sluice.local.loader.ClassFiles.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.WritableFactory;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.mapreduce.MRConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Class loader of tasks that run one after the other. It defines a copy of each class that its
 * parent, the job's class loader, would load, so that static fields of the program and its
 * libraries are its own. Shared classes, {@link SharedNames}, are the engine's. Resources are the
 * parent's. A class of which the parent has no bytes is the parent's.
 *
 * <p>In what it defines, calls that concern the whole process are replaced ({@link ProcessCalls}).
 *
 * <p>Thread contract: that of class loaders; safe from any thread. Ownership: it holds no file
 * open; the copies that it makes of native libraries lie in the job's local directories and go with
 * these. Failure: that of class loaders.
 */
public final class SlotLoader extends ClassLoader
    implements TaskExit.Slot,
        WritableNames.Slot,
        SlotSerializations.Slot,
        SlotComparators.Slot,
        SlotFactories.Slot {
  private static final Logger LOG = LoggerFactory.getLogger(SlotLoader.class);
  private static final ClassLoader ENGINE = SlotLoader.class.getClassLoader();

  /** The attempt that a thread works for: that in which it, or who has started it, was started. */
  private static final InheritableThreadLocal<Object> ATTEMPT = new InheritableThreadLocal<>();

  private static final AtomicInteger LIBRARIES = new AtomicInteger();

  static {
    registerAsParallelCapable();
    WritableNames.install();
    SlotSerializations.install();
  }

  private final Configuration job;
  private final ClassFiles files;
  private final Map<Place, ProtectionDomain> domains = new ConcurrentHashMap<>();
  private final Map<String, Class<?>> writableNames = new ConcurrentHashMap<>();
  private final Map<Class<?>, WritableComparator> comparators = new ConcurrentHashMap<>();
  private final Map<Class<?>, SlotComparators.Order> orders = new ConcurrentHashMap<>();
  private final Map<Class<?>, WritableFactory> factories = new ConcurrentHashMap<>();
  private SerializationFactory serializations; // guarded by the field before; null: not asked for
  private volatile Consumer<String> whenExits = reason -> {};
  private volatile Object attempt = new Object();
  private volatile TaskExit exit; // null: the task has not called it

  /** For tasks of a job, whose class loader becomes the parent. */
  public SlotLoader(Configuration job) {
    super(job.getClassLoader());
    this.job = job;
    this.files = ClassFiles.of(getParent());
  }

  /**
   * A task begins, in this thread.
   *
   * @param whenExits called with the reason when the task ends the process; by any thread
   */
  public void serve(Consumer<String> whenExits) {
    this.whenExits = whenExits;
    attempt = new Object();
    ATTEMPT.set(attempt);
    exit = null;
  }

  /**
   * The task must not have ended the process, even if it has caught what was thrown for that.
   *
   * @throws TaskExit if it has
   */
  public void requireNoExit() {
    if (exit != null) {
      throw exit;
    }
  }

  @Override
  public Map<String, Class<?>> writableNames() {
    return writableNames;
  }

  @Override
  public Map<Class<?>, WritableComparator> comparators() {
    return comparators;
  }

  @Override
  public Map<Class<?>, SlotComparators.Order> orders() {
    return orders;
  }

  @Override
  public Map<Class<?>, WritableFactory> factories() {
    return factories;
  }

  @Override
  public SerializationFactory serializations() {
    synchronized (writableNames) {
      if (serializations == null) {
        Configuration own = new Configuration(job);
        own.setClassLoader(this);
        serializations = new SerializationFactory(own);
      }
      return serializations;
    }
  }

  @Override
  public void exits(TaskExit how) {
    Object works = ATTEMPT.get();
    if (works != null && works != attempt) {
      return; // an attempt that has ended has left this thread behind
    }
    exit = how;
    whenExits.accept(how.getMessage());
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (SharedNames.has(name)) {
      try {
        Class<?> shared = ENGINE.loadClass(name);
        if (SharedNames.isShared(shared)) {
          return shared;
        }
      } catch (ClassNotFoundException e) {
        // The program has put it into a package of Hadoop, say.
      }
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        ClassFile file = fileOf(name);
        loaded = file == null ? getParent().loadClass(name) : define(name, file);
      }
      if (resolve) {
        resolveClass(loaded);
      }
      return loaded;
    }
  }

  private ClassFile fileOf(String name) throws ClassNotFoundException {
    try {
      return files.find(name);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private Class<?> define(String name, ClassFile file) {
    int dot = name.lastIndexOf('.');
    if (dot > 0 && getDefinedPackage(name.substring(0, dot)) == null) {
      definePackage(name.substring(0, dot), file.place().manifest());
    }
    return defineClass(name, file.bytes(), 0, file.bytes().length, domain(file.place()));
  }

  private void definePackage(String name, Manifest manifest) {
    Attributes all = manifest == null ? new Attributes() : manifest.getMainAttributes();
    Attributes own = manifest == null ? null : manifest.getAttributes(name.replace('.', '/') + "/");
    try {
      definePackage(
          name,
          attribute(Attributes.Name.SPECIFICATION_TITLE, own, all),
          attribute(Attributes.Name.SPECIFICATION_VERSION, own, all),
          attribute(Attributes.Name.SPECIFICATION_VENDOR, own, all),
          attribute(Attributes.Name.IMPLEMENTATION_TITLE, own, all),
          attribute(Attributes.Name.IMPLEMENTATION_VERSION, own, all),
          attribute(Attributes.Name.IMPLEMENTATION_VENDOR, own, all),
          null);
    } catch (IllegalArgumentException e) {
      // Another thread has defined it meanwhile.
    }
  }

  private static String attribute(Attributes.Name name, Attributes own, Attributes all) {
    String value = own == null ? null : own.getValue(name);
    return value == null ? all.getValue(name) : value;
  }

  /** Of the jar or directory that the class comes from, which programs ask for its place. */
  private ProtectionDomain domain(Place of) {
    return domains.computeIfAbsent(
        of,
        place ->
            new ProtectionDomain(
                new CodeSource(place.url(), (Certificate[]) null), null, this, null));
  }

  /**
   * A copy of its own: Java lets one class loader alone have a native library, and tells libraries
   * by their paths.
   */
  @Override
  protected String findLibrary(String name) {
    String file = System.mapLibraryName(name);
    for (String directory :
        System.getProperty("java.library.path", "").split(java.io.File.pathSeparator)) {
      Path found = Path.of(directory, file).toAbsolutePath();
      if (!directory.isEmpty() && Files.isRegularFile(found)) {
        try {
          Path copy = copyOf(found);
          if (Files.isExecutable(copy)) {
            return copy.toString();
          }
          LOG.warn(
              "{} cannot be loaded: its file system is mounted noexec. One slot alone gets {}; name"
                  + " another directory in {}",
              copy,
              found,
              MRConfig.LOCAL_DIR);
          return found.toString();
        } catch (IOException e) {
          throw new UnsatisfiedLinkError(found + " could not be copied for a task: " + e);
        }
      }
    }
    return null;
  }

  private Path copyOf(Path library) throws IOException {
    String name = "native-" + LIBRARIES.incrementAndGet() + "/" + library.getFileName();
    Path copy =
        Path.of(
            new LocalDirAllocator(MRConfig.LOCAL_DIR)
                .getLocalPathForWrite(name, job)
                .toUri()
                .getPath());
    Files.copy(library, copy);
    copy.toFile().setExecutable(true);
    return copy.toAbsolutePath();
  }
}
