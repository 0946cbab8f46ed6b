package io.sluice.it.testrun;

/**
 * How long a suite took, beside whatever else was running.
 *
 * @param suite simple name of a test class, or {@code lab NAME}
 * @param wallMs from its first test's start to its last one's end
 */
public record SuiteTime(String suite, long wallMs) {}
