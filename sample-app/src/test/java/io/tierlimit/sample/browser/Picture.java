package io.tierlimit.sample.browser;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.imageio.ImageIO;

import com.microsoft.playwright.Page;

/**
 * Takes pictures of pages for the documentation, in {@code target/screenshots} or the
 * directory of the system property {@code screenshots}.
 */
public final class Picture {

	/** The maximum size of a picture in the documentation. */
	public static final long MOST_BYTES = 200_000;

	private static final Path PICTURES = Path.of(System.getProperty("screenshots", "target/screenshots"));

	private Picture() {
	}

	/**
	 * Takes a picture of a page.
	 * @param page the page
	 * @param name the name of the file, without its ending
	 * @param height the height of the picture; 0 for the whole page
	 * @return the file
	 * @throws IOException if the file cannot be written
	 */
	public static Path take(Page page, String name, int height) throws IOException {
		return take(page, name, 0, height);
	}

	/**
	 * Takes a picture of a part of a page.
	 * @param page the page
	 * @param name the name of the file, without its ending
	 * @param top the upper edge of the part
	 * @param height the height of the picture; 0 for the whole page
	 * @return the file
	 * @throws IOException if the file cannot be written
	 */
	public static Path take(Page page, String name, int top, int height) throws IOException {
		Page.ScreenshotOptions options = new Page.ScreenshotOptions().setFullPage(true);
		if (height > 0) {
			options.setClip(0, top, page.viewportSize().width, height);
		}
		Path file = PICTURES.resolve(name + ".png");
		Files.createDirectories(PICTURES);
		// Compresses the picture again, because the browser compresses it poorly.
		ImageIO.write(ImageIO.read(new ByteArrayInputStream(page.screenshot(options))), "png", file.toFile());
		return file;
	}

}
