/** Class loaders of tasks, which separate their classes from each other and from the process. */
package io.sluice.local.loader;
