package io.sluice.it.testrun;

import io.sluice.it.report.Console;

/**
 * A part of the test run that can go on beside the others: it has processes and files of its own.
 *
 * <p>Thread contract: any one thread runs it, once. An interrupt ends it early, with what it has
 * started, and it says so in its result.
 */
interface TestTask {
  /** Short; it stands before every line that the task says. */
  String name();

  /** What it may need with all that it starts, in MiB. */
  int memoryMb();

  /** Runs to the end, whatever that is. */
  TaskResult run(Console console);
}
