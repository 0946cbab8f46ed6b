/** Class loaders of tasks, and what keeps their classes from each other and from the process. */
package io.sluice.local.loader;
