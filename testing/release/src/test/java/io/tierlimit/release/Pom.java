package io.tierlimit.release;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;

import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * A POM in the sources, without the elements that it inherits.
 *
 * @param document the document, without namespaces
 */
record Pom(Document document) {

	private static final XPath XPATH = XPathFactory.newInstance().newXPath();

	static Pom read(Path file) {
		try {
			return new Pom(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()));
		}
		catch (Exception ex) {
			throw new IllegalStateException("cannot read " + file, ex);
		}
	}

	/**
	 * The content of the first element, or an empty string.
	 */
	String text(String path) {
		return nodes(path).stream().findFirst().map((node) -> node.getTextContent().trim()).orElse("");
	}

	List<Node> nodes(String path) {
		return nodes(this.document, path);
	}

	List<Dependency> dependencies() {
		return dependencies("/project/dependencies/dependency");
	}

	List<Dependency> managedDependencies() {
		return dependencies("/project/dependencyManagement/dependencies/dependency");
	}

	private List<Dependency> dependencies(String path) {
		return nodes(path).stream()
			.map((node) -> new Dependency(child(node, "groupId"), child(node, "artifactId"), child(node, "version"),
					child(node, "scope"), child(node, "optional").equals("true")))
			.toList();
	}

	private static String child(Node node, String name) {
		return nodes(node, name).stream().findFirst().map((child) -> child.getTextContent().trim()).orElse("");
	}

	private static List<Node> nodes(Node node, String path) {
		try {
			NodeList nodes = (NodeList) XPATH.evaluate(path, node, XPathConstants.NODESET);
			return IntStream.range(0, nodes.getLength()).mapToObj(nodes::item).toList();
		}
		catch (XPathExpressionException ex) {
			throw new IllegalArgumentException(path, ex);
		}
	}

	record Dependency(String groupId, String artifactId, String version, String scope, boolean optional) {

		/** Whether users of the module also get the dependency. */
		boolean isBrought() {
			return !this.optional && !List.of("test", "provided", "system").contains(this.scope);
		}

		String name() {
			return this.groupId + ":" + this.artifactId;
		}

	}

}
