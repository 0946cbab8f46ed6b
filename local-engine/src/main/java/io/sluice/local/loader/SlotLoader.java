package io.sluice.local.loader;

import io.sluice.local.loader.ClassFiles.ClassFile;
import io.sluice.local.loader.ClassFiles.Source;
import java.io.IOException;
import java.lang.StackWalker.Option;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.HashMap;
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
import org.apache.hadoop.io.WritableName;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.mapreduce.MRConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The class loader of tasks that run one after the other. It defines its own copy of each class
 * that its parent, the job's class loader, would load, so static fields of the program and its
 * libraries are separate. Shared classes ({@link SharedNames}) come from the engine. Resources come
 * from the parent, and so do classes whose bytes the parent does not show.
 *
 * <p>{@link ProcessCalls} rewrites the classes that it defines.
 *
 * <p>Thread contract: that of class loaders; safe from any thread. Ownership: it holds no file
 * open; its copies of native libraries lie in the job's local directories and are deleted with
 * these. Failure: that of class loaders.
 */
public final class SlotLoader extends ClassLoader {
  private static final Logger LOG = LoggerFactory.getLogger(SlotLoader.class);
  private static final ClassLoader ENGINE = SlotLoader.class.getClassLoader();

  /** The attempt of a thread: the one in which the thread, or its ancestor, was started. */
  private static final InheritableThreadLocal<Object> ATTEMPT = new InheritableThreadLocal<>();

  private static final AtomicInteger LIBRARIES = new AtomicInteger();

  static {
    registerAsParallelCapable();
    WritableNames.install();
    SlotSerializations.install();
  }

  private final Configuration job;
  private final ClassFiles files;
  private final Map<Source, ProtectionDomain> domains = new ConcurrentHashMap<>();
  private final Map<String, Class<?>> writableNames = new ConcurrentHashMap<>();
  private final Map<Class<?>, WritableComparator> comparators = new ConcurrentHashMap<>();
  private final Map<Class<?>, SlotComparators.Order> orders = new ConcurrentHashMap<>();
  private final Map<Class<?>, WritableFactory> factories = new ConcurrentHashMap<>();
  private SerializationFactory serializations; // guarded by writableNames; null until needed
  private volatile Consumer<String> whenExits = reason -> {};
  private volatile Object attempt = new Object();
  private volatile TaskExit exit; // null if the task has not ended the process

  /** Loads for tasks of a job; the parent is the job's class loader. */
  public SlotLoader(Configuration job) {
    super(job.getClassLoader());
    this.job = job;
    this.files = ClassFiles.of(getParent());
  }

  /**
   * A task begins in this thread.
   *
   * @param whenExits receives the reason if the task ends the process; called on any thread
   */
  public void serve(Consumer<String> whenExits) {
    this.whenExits = whenExits;
    attempt = new Object();
    ATTEMPT.set(attempt);
    exit = null;
  }

  /**
   * Fails if the task has ended the process, even if it has caught the error.
   *
   * @throws TaskExit if the task has ended the process
   */
  public void requireNoExit() {
    if (exit != null) {
      throw exit;
    }
  }

  /** Names that its classes have registered with {@code WritableName}. */
  Map<String, Class<?>> writableNames() {
    return writableNames;
  }

  /** Comparators that its classes have registered for keys that are not its own. */
  Map<Class<?>, WritableComparator> comparators() {
    return comparators;
  }

  /** The orders by which its tasks have sorted so far; later tasks keep them. */
  Map<Class<?>, SlotComparators.Order> orders() {
    return orders;
  }

  /** Factories that its classes have registered for classes that are not its own. */
  Map<Class<?>, WritableFactory> factories() {
    return factories;
  }

  /** The serializations of its job. */
  SerializationFactory serializations() {
    synchronized (writableNames) {
      if (serializations == null) {
        Configuration own = new Configuration(job);
        own.setClassLoader(this);
        serializations = new SerializationFactory(own);
      }
      return serializations;
    }
  }

  /** A task has ended the process, in any of its threads. */
  void exits(TaskExit how) {
    Object works = ATTEMPT.get();
    if (works != null && works != attempt) {
      return; // the thread was left by an earlier attempt
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
        // For example a class of the program in a package of Hadoop.
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
      definePackage(name.substring(0, dot), file.source().manifest());
    }
    return defineClass(name, file.bytes(), 0, file.bytes().length, domain(file.source()));
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

  /** The domain of the class's jar or directory; programs ask it for the location. */
  private ProtectionDomain domain(Source of) {
    return domains.computeIfAbsent(
        of,
        source ->
            new ProtectionDomain(
                new CodeSource(source.url(), (Certificate[]) null), null, this, null));
  }

  /**
   * The path of a copy of the library. In Java only one class loader can load a library, which is
   * identified by its path.
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
              "{} cannot be loaded, because its file system is mounted noexec. Only one slot"
                  + " can load {} itself; set another directory in {}",
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

  /**
   * Thrown if a task calls {@code System.exit} or the like of {@link Runtime}, instead of ending
   * the process. The attempt fails even if the task catches this error, and whichever thread has
   * made the call, as on a cluster, where the task's process ends.
   *
   * <p>Thread contract: safe from any thread.
   */
  public static final class TaskExit extends Error {
    private static final long serialVersionUID = 1;
    private static final StackWalker CALLER =
        StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

    private TaskExit(String call, int status) {
      super("a task has called " + call + "(" + status + ")");
    }

    /** Replaces {@link System#exit}. */
    public static void exit(int status) {
      throw by(CALLER.getCallerClass(), new TaskExit("System.exit", status));
    }

    /** Replaces {@link Runtime#exit}. */
    public static void exit(Runtime process, int status) {
      throw by(CALLER.getCallerClass(), new TaskExit("Runtime.exit", status));
    }

    /** Replaces {@link Runtime#halt}. */
    public static void halt(Runtime process, int status) {
      throw by(CALLER.getCallerClass(), new TaskExit("Runtime.halt", status));
    }

    private static TaskExit by(Class<?> caller, TaskExit how) {
      SlotLoader slot = SlotOwners.of(caller.getClassLoader());
      if (slot != null) {
        slot.exits(how);
      }
      return how;
    }
  }

  /**
   * Replaces Hadoop's static map from registered names to classes ({@link WritableName}), with
   * which files with older names are read. Only threads of the same slot, by their context class
   * loaders, find a name that a class of a slot has registered. For names that others have
   * registered, a slot gets its own copy of the class.
   *
   * <p>Thread contract: guarded by the lock of Hadoop's class.
   */
  static final class WritableNames extends HashMap<String, Class<?>> {
    private static final long serialVersionUID = 1;

    private WritableNames(Map<String, Class<?>> before) {
      super(before);
    }

    /** Replaces Hadoop's map. */
    static void install() {
      try {
        Field map = WritableName.class.getDeclaredField("NAME_TO_CLASS");
        map.setAccessible(true);
        synchronized (WritableName.class) {
          @SuppressWarnings("unchecked")
          Map<String, Class<?>> before = (Map<String, Class<?>>) map.get(null);
          map.set(null, new WritableNames(before));
        }
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(
            "this release of Hadoop has no WritableName.NAME_TO_CLASS", e);
      }
    }

    @Override
    public Class<?> put(String name, Class<?> named) {
      SlotLoader slot = SlotOwners.of(named.getClassLoader());
      return slot == null ? super.put(name, named) : slot.writableNames().put(name, named);
    }

    @Override
    public Class<?> get(Object name) {
      SlotLoader slot = SlotOwners.ofThread();
      if (slot == null) {
        return super.get(name);
      }
      Class<?> own = slot.writableNames().get(name);
      Class<?> others = own == null ? super.get(name) : null;
      try {
        return others == null ? own : (slot).loadClass(others.getName());
      } catch (ClassNotFoundException e) {
        return null; // a class of another job
      }
    }
  }
}
